#include "app/cli/program.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/own_algorithms.hpp"
#include "app/cli/progress.hpp"
#include "app/requests/performed.hpp"
#include "emulator/base/error.hpp"
#include "emulator/ranks/letter.hpp"

namespace kport::cli {

namespace {

Ranks* joined = nullptr;
Company all_ranks;
/// After Ctrl-C, MPICH's mpiexec sometimes exits with 0 unless a process calls MPI_Abort. The mpirun of Open
/// MPI, which is ending then, may hang over an abort.
bool aborts_at_the_end = false;
int error_output = STDERR_FILENO;  ///< also of ranks that are silent

/// What a launcher says to those that it starts.
struct Launcher {
    std::string_view name;
    std::string_view mpi;  ///< for which it starts them, unless KPORT_MPI says another
    const char* size;
    const char* rank;
    bool waits_for_all;  ///< also if one of those ends before they have joined
};
constexpr Launcher launchers[] = {{"mpirun", "openmpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", false},
                                  {"mpirun", "mpich", "PMI_SIZE", "PMI_RANK", true},
                                  {"srun", "openmpi", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", false}};

std::optional<unsigned> number_in(const char* variable) {
    const char* text = std::getenv(variable);
    unsigned number = 0;
    if (text == nullptr || std::from_chars(text, text + std::strlen(text), number).ec != std::errc()) return {};
    return number;
}

/// The launcher of several ranks that has started this process.
std::optional<Launcher> launcher_here() {
    const auto started = std::ranges::find_if(
        launchers, [](const Launcher& launcher) { return number_in(launcher.size) && number_in(launcher.rank); });
    if (started == std::end(launchers)) return {};
    leave_out_colours();  // where the terminal is one that Open MPI has made
    if (*number_in(started->size) == 1) return {};
    Launcher launcher = *started;
    if (const char* wanted = std::getenv("KPORT_MPI"); wanted != nullptr && *wanted != '\0') launcher.mpi = wanted;
    return launcher.mpi != "off" ? std::optional(launcher) : std::nullopt;
}

void silence(int output) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, output);
    close(nowhere);
}
void be_silent() {
    error_output = dup(STDERR_FILENO);
    silence(STDOUT_FILENO);
    silence(STDERR_FILENO);
    write_no_files();
}
void speak() { dup2(error_output, STDERR_FILENO); }

/// Beside this program, as it is built, or where it is installed.
void* plug_in_of(const Launcher& launcher) {
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string name = fmt::format("libkport-{}.so", launcher.mpi);
    const std::filesystem::path places[] = {here, (here / ".." / KPORT_LIBRARIES).lexically_normal()};
    std::string why;
    for (const std::filesystem::path& place : places) {
        if (!std::filesystem::exists(place / name)) continue;
        if (void* plug_in = dlopen((place / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return plug_in;
        why = fmt::format(": {}", dlerror());
    }
    if (why.empty()) why = fmt::format(", neither in {} nor in {}", places[0].string(), places[1].string());
    throw RequestError(
        fmt::format("{} has started {} ranks of {}, and kport finds no {}{}; build kport where the development package "
                    "of {} is installed, or set KPORT_MPI=off: each rank then runs by itself",
                    launcher.name, *number_in(launcher.size), launcher.mpi, name, why, launcher.mpi));
}

std::string host_of_rank() {
    std::string name(256, '\0');
    if (gethostname(name.data(), name.size() - 1) != 0) return "an unknown computer";
    return name.c_str();
}

/// Ends this rank, and with it the others, unless it is destroyed in time: what else the launcher has started may never join.
class Patience {
  public:
    Patience(unsigned ranks, unsigned rank)
        : watch_([=](const std::stop_token& joined_all) {
              const std::chrono::seconds most(std::max(8U, ranks / 4));
              std::mutex mutex;
              std::unique_lock lock(mutex);
              // The lowest rank that waits tells it, and the launcher ends the others before they would.
              std::condition_variable_any().wait_for(lock, joined_all, most + std::chrono::seconds(std::min(rank, 2U)),
                                                     [] { return false; });
              if (joined_all.stop_requested()) return;
              speak();
              std::cerr << fmt::format(
                               "kport: rank {} on {}: after {} s not all of {} ranks have joined; want kport as the "
                               "program of each\n",
                               rank, host_of_rank(), most.count(), ranks)
                        << std::flush;
              std::_Exit(status_wrong);
          }) {}

  private:
    std::jthread watch_;
};

using Join = Ranks* (*)();

/// What joins the ranks.
Join joining(const Launcher& launcher) {
    if (launcher.mpi != "openmpi" && launcher.mpi != "mpich")
        throw RequestError(fmt::format("KPORT_MPI is '{}'; want openmpi, mpich or off", launcher.mpi));
    const auto join = reinterpret_cast<Join>(dlsym(plug_in_of(launcher), "kport_join_ranks"));
    if (join == nullptr) throw RequestError(fmt::format("libkport-{}.so is of another kport", launcher.mpi));
    return join;
}

/// What goes wrong before ranks have joined usually does so at all of them: rank 0 reports it, and the launcher ends the others. If it
/// does not, this one tells, unless the launcher waits for all.
Join joining_after_rank_0(const Launcher& launcher) {
    try {
        return joining(launcher);
    } catch (const RequestError&) {
        if (launcher.waits_for_all) throw;
        std::this_thread::sleep_for(std::chrono::seconds(3));
        speak();
        throw;
    }
}

/// The program by its size and time, and its arguments.
std::string told_start(int argc, const char* const* argv) {
    const std::filesystem::path program = "/proc/self/exe";
    std::string text = fmt::format("{}", std::filesystem::file_size(program));
    for (int i = 1; i < argc; ++i) text += std::string(1, '\0') + argv[i];
    return text;
}

}  // namespace

Ranks* joined_ranks() { return joined; }
Company company() { return all_ranks; }

void join_ranks(int argc, const char* const* argv) {
    const std::optional<Launcher> launcher = launcher_here();
    if (!launcher) return;
    const unsigned rank = *number_in(launcher->rank);
    if (rank != 0) be_silent();
    const Join join = rank == 0 ? joining(*launcher) : joining_after_rank_0(*launcher);
    const Patience patience(*number_in(launcher->size), rank);
    speak();  // what an MPI says that cannot be set up
    Ranks* ranks = join();
    if (rank != 0) silence(STDERR_FILENO);
    if (ranks->size() != *number_in(launcher->size))
        throw RequestError(
            fmt::format("{} says {} ranks, and the {} with which kport is built finds {}; want the {} of the same MPI",
                        launcher->name, *number_in(launcher->size), launcher->mpi, ranks->size(), launcher->name));
    joined = ranks;
    aborts_at_the_end = launcher->mpi == "mpich";
    const std::vector<std::string> starts = everyones(*ranks, told_start(argc, argv));
    const auto other = std::ranges::find_if(starts, [&](const std::string& start) { return start != starts.front(); });
    if (other != starts.end())
        throw RequestError(
            fmt::format("rank {} runs another kport than rank 0, or with other arguments; want the same of all",
                        other - starts.begin()));
    const std::vector<std::string> hosts = everyones(*ranks, host_of_rank());
    const auto here = std::ranges::count(hosts, host_of_rank());
    all_ranks = {ranks->size(), static_cast<unsigned>(here)};
}

void require_for_ranks(const Words& words) {
    if (joined == nullptr || !words.help.empty()) return;
    constexpr std::string_view commands[] = {"run", "compare", "bounds", "stress"};
    if (std::ranges::find(commands, words.command) == std::end(commands))
        throw RequestError(fmt::format(
            "kport {} is for one process; under mpirun want kport run, compare, bounds or stress", words.command));
    for (const char* option : {"--inject", "--order", "--calibrated", "--with"})
        if (words.has(option) && words.get(option) != "preorder")  // preorder is one of operands, not of nodes
            throw RequestError(fmt::format("{} is for one process; leave it out under mpirun", option));
    if (is_algorithm_file(words.get("--algorithm").value_or("")))
        throw RequestError("--algorithm FILE is for one process; under mpirun want an algorithm of the catalogue");
    if (words.get("--engine") == "free")
        throw RequestError("--engine free is for one process; under mpirun want --engine lockstep");
}

int leave_ranks(int status, std::string_view why) {
    if (joined == nullptr) return status;
    std::fflush(nullptr);  // where one rank ends with a status that is not 0, mpirun may end the others
    std::cout.flush();
    std::vector<Letter> letters(joined->size());
    joined->exchange(letters);
    letters[joined->rank()].clear();
    const auto is_over = [](const Letter& letter) { return letter.empty(); };
    const bool all_are_over = std::ranges::all_of(letters, is_over);
    const auto speaker = std::ranges::find_if(letters, is_over) - letters.begin();
    if (all_are_over) {
        // A launcher makes one status of all: the others have none. Rank 0 has its own, or of the first that has one.
        const std::vector<int> all = everyones(*joined, status);
        if (joined->rank() != 0) return status_lawful;
        const auto first = std::ranges::find_if(all, [](int each) { return each != status_lawful; });
        status = first == all.end() ? status_lawful : *first;
        if (aborts_at_the_end && interrupted()) joined->abort(status, "");
        return status;
    }
    if (speaker == 0 && joined->rank() == 0) joined->abort(status, "");
    if (speaker == joined->rank()) give_up_ranks(status, why);
    for (;;) pause();
}

void give_up_ranks(int status, std::string_view why) {
    if (joined == nullptr) return;
    speak();
    joined->abort(status, fmt::format("kport: rank {} on {}: {}\n", joined->rank(), host_of_rank(), why));
}

}  // namespace kport::cli
