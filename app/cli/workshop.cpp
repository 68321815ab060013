#include "app/cli/workshop.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/cli/awaits_alone.hpp"
#include "app/cli/box.hpp"
#include "app/cli/output.hpp"
#include "emulator/base/dice.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t source_bytes_most = std::size_t{1} << 20;
constexpr std::size_t object_bytes_most = std::size_t{16} << 20;
constexpr std::size_t orders = 3;
constexpr std::size_t said_bytes = 300;

std::string this_program() { return fs::read_symlink("/proc/self/exe").string(); }

void write_bytes(const fs::path& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary);
    out << bytes;
    if (!out.flush()) throw OutputError(fmt::format("{} cannot be written", quoted(file.string())), false);
}

/// The first error of a compiler, without the folder of the program.
std::string first_error_in(const std::string& told, const fs::path& folder) {
    for (const std::string_view line : split(told, '\n'))
        if (const std::size_t at = line.find("error: "); at != std::string_view::npos)
            return one_line(boost::replace_all_copy(std::string(line.substr(at)), folder.string() + "/", ""),
                            said_bytes);
    return "the compiler gives no reason";
}

/// A run of the program: what stands in the output of the box between zero bytes.
struct Run {
    std::string schedule;
    std::string status;
    std::string said;  ///< the end of what it wrote to standard error
};

/// Without the folder of the program, whose name differs from time to time.
std::vector<Run> runs_in(const std::string& output, const fs::path& folder) {
    const std::vector<std::string_view> parts = split(output, '\0');
    std::vector<Run> runs;
    for (std::size_t i = 0; i + 2 < parts.size(); i += 3)
        runs.push_back({std::string(parts[i]), std::string(parts[i + 1]),
                        boost::replace_all_copy(std::string(parts[i + 2]), folder.string() + "/", "")});
    return runs;
}

/// The last line of a text.
std::string last_line(const std::string& text) {
    constexpr std::string_view speaker = "kport: ";
    std::string last;
    for (const std::string_view line : split(text, '\n'))
        if (!line.empty()) last = line;
    if (last.starts_with(speaker)) last.erase(0, speaker.size());
    return one_line(last, said_bytes);
}

/// Why a run gave no schedule. What the program can make differ from one run to the next is not quoted.
std::string why_none(const Run& run, const grade::Limits& limits) {
    const auto says = [&](std::string_view words) { return run.said.find(words) != std::string::npos; };
    if (run.status == "137" || says("a program in a file may compute for") || says("no sign of life"))
        return fmt::format("the program does not end within {} s", number(limits.seconds));
    if (says("Bad system call"))
        return "the program starts a thread or a process, writes a file or opens a connection, which none may";
    if (says("ended the whole program")) return "the program ends the whole run, with exit() or so";
    if (says("program.so crashed: ")) return "the program crashes";
    if (says("memory"))
        return fmt::format("the program needs more than {}", memory(static_cast<double>(limits.memory)));
    return fmt::format("the program makes no schedule: {}", last_line(run.said));
}

/// The shell's text that runs the program on all machines, in each order. It ends after a run without an end.
std::string script_of(const grade::Exercise& exercise, const std::string& object) {
    std::string options;
    for (const auto& [option, value] : exercise.options)
        if (option != "--source") options += fmt::format(" {} {}", option, value == "true" ? "" : as_shell_word(value));
    std::string script = fmt::format(
        "r() {{ timeout --foreground -s KILL {} {} run {} --algorithm {}{} --record schedule.json \"$@\" >/dev/null "
        "2>said; s=$?; if [ $s -lt 2 ]; then cat schedule.json; printf '\\0%s\\0\\0' $s; else printf '\\0%s\\0' $s; "
        "tail -c {} said; printf '\\0'; fi; [ $s != 137 ] || exit 0; }}\n",
        number(exercise.limits.seconds), as_shell_word(this_program()), exercise.operation, as_shell_word(object),
        options, said_bytes);
    std::uint64_t seed = 0;
    for (const grade::ExerciseMachine& machine : exercise.machines) {
        const auto root = machine.experiment.root();
        for (std::size_t i = 0; i < orders; ++i)
            script += fmt::format("r --on {} --order {}{}\n", as_shell_word(machine.on), Dice(++seed).below(1'000'000),
                                  root ? fmt::format(" --source {}", *root) : std::string());
    }
    return script;
}

/// The schedule of a machine, if all its runs made the same.
grade::Made made_in(std::span<const Run> runs, std::size_t first, const grade::Limits& limits) {
    for (std::size_t i = first; i < first + orders; ++i) {
        if (i >= runs.size()) return {.text = {}, .refusal = "not run, since the program did not end before"};
        if (runs[i].schedule.empty()) return {.text = {}, .refusal = why_none(runs[i], limits)};
        if (runs[i].schedule != runs[first].schedule)
            return {.text = {},
                    .refusal =
                        "the schedule depends on the order in which the nodes run; they must share nothing, and "
                        "use no clock and no random numbers"};
    }
    return {.text = runs[first].schedule, .refusal = {}};
}

std::vector<grade::Made> refused_by_all(const grade::Exercise& exercise, const std::string& why) {
    return std::vector<grade::Made>(exercise.machines.size(), {.text = {}, .refusal = why});
}

/// Throws RequestError where programs of strangers must not run: as root outside a container, or without boxes.
void require_box() {
    constexpr const char* instead = "; in a container that runs nothing else: --already-contained";
    if (is_root_without_container())
        throw RequestError(fmt::format("programs of strangers do not run as root; want another user{}", instead));
    if (const auto why = why_no_box())
        throw RequestError(fmt::format("C++ hand-ins run in boxes, and {}{}", *why, instead));
}

}  // namespace

BoxWorkshop::BoxWorkshop(bool already_contained) : tools_(toolchain()), already_contained_(already_contained) {
    if (!already_contained) require_box();
    std::string name = (fs::temp_directory_path() / "kport-grade-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw OutputError("no folder for programs can be made", false);
    folder_ = name;
}

BoxWorkshop::~BoxWorkshop() {
    std::error_code none;
    fs::remove_all(folder_, none);
}

std::string BoxWorkshop::scratch_in(const fs::path& folder) const {
    if (!already_contained_) return {};
    const fs::path scratch = folder / "scratch";
    fs::remove_all(scratch);
    fs::create_directory(scratch);
    return scratch.string();
}

BoxWorkshop::Compiled BoxWorkshop::compiled(const grade::HandIn& hand_in, const fs::path& folder) const {
    const grade::FileText source = grade::text_of_file(hand_in.path, source_bytes_most);
    if (!source.refusal.empty()) return {.object = {}, .refusal = source.refusal};
    if (const auto wrong = awaits_not_alone("it", source.text); !wrong.empty())
        return {.object = {}, .refusal = one_line(wrong.front(), said_bytes)};
    write_bytes(folder / "program.cpp", source.text);
    Box box;
    box.shows = {(folder / "program.cpp").string()};
    for (const fs::path& headers : tools_.headers) box.shows.push_back(headers.string());
    box.environment = {"TMPDIR=."};
    box.folder = scratch_in(folder);
    box.command = {"sh", "-c",
                   fmt::format("{} {} -w -shared -o made.so {} && cat made.so", tools_.compiler,
                               fmt::join(tools_.flags, " "), as_shell_word(box.shows.front()))};
    box.seconds = 60;
    box.processor_seconds = 30;
    box.memory = std::uint64_t{4} << 30;
    box.output = object_bytes_most;
    const Ended ended = run_in_box(box);
    if (ended.cut != Ended::Cut::no) return {.object = {}, .refusal = "compiling it takes too long, or gives too much"};
    if (!ended.well()) return {.object = {}, .refusal = "does not compile: " + first_error_in(ended.err, folder)};
    write_bytes(folder / "program.so", ended.out);
    return {.object = folder / "program.so", .refusal = {}};
}

std::vector<grade::Made> BoxWorkshop::made_by(const grade::HandIn& hand_in, const grade::Exercise& exercise) {
    const fs::path folder = folder_ / std::to_string(hand_ins_++);
    fs::create_directory(folder);
    const Compiled program = compiled(hand_in, folder);
    if (!program.refusal.empty()) return refused_by_all(exercise, program.refusal);
    const std::size_t all = exercise.machines.size() * orders;
    Box box;
    const fs::path script = folder / "run.sh";
    write_bytes(script, script_of(exercise, program.object.string()));
    box.shows = {program.object.string(), this_program(), script.string()};
    box.environment = {"KPORT_SEALED=1"};
    box.folder = scratch_in(folder);
    box.command = {"sh", script.string()};
    box.seconds = exercise.limits.seconds * static_cast<double>(all) + 10;
    box.processor_seconds = static_cast<std::uint64_t>(std::ceil(exercise.limits.seconds)) + 1;
    box.memory = exercise.limits.memory;
    box.output = std::min(all * grade::schedule_bytes_most, std::size_t{256} << 20);
    const Ended ended = run_in_box(box);
    std::error_code none;
    fs::remove_all(folder, none);
    if (ended.cut == Ended::Cut::output) return refused_by_all(exercise, "the program writes too long a schedule");
    const std::vector<Run> runs = runs_in(ended.out, folder);
    if (runs.empty()) return refused_by_all(exercise, "the program does not run: " + last_line(ended.err));
    std::vector<grade::Made> made;
    for (std::size_t m = 0; m < exercise.machines.size(); ++m)
        made.push_back(made_in(runs, m * orders, exercise.limits));
    return made;
}

}  // namespace kport::cli
