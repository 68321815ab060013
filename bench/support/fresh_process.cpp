#include "bench/support/fresh_process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include <fmt/core.h>

extern char** environ;

namespace kport::bench {

namespace {

std::string read_all(int from) {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = read(from, buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
}

}  // namespace

std::optional<Outcome> run_in_fresh_process(const std::string& name) {
    std::array<int, 2> pipe_ends{};
    if (pipe(pipe_ends.data()) != 0) return std::nullopt;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
    std::string program = "bench";
    std::string argument = "--run=" + name;
    std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    const bool started = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_ends[1]);
    const std::string text = started ? read_all(pipe_ends[0]) : "";
    close(pipe_ends[0]);
    int status = -1;
    if (!started || waitpid(child, &status, 0) != child || status != 0) return std::nullopt;
    Outcome outcome;
    int right = 0;
    if (std::sscanf(text.c_str(), "outcome %lf %lf %lu %lu %lu %d", &outcome.wall_ns, &outcome.cpu_ns,
                    &outcome.peak_bytes, &outcome.messages, &outcome.nodes, &right) != 6)
        return std::nullopt;
    outcome.right = right != 0;
    return outcome;
}

void print_outcome(const Outcome& outcome) {
    fmt::print("outcome {} {} {} {} {} {}\n", outcome.wall_ns, outcome.cpu_ns, outcome.peak_bytes, outcome.messages,
               outcome.nodes, static_cast<int>(outcome.right));
}

}  // namespace kport::bench
