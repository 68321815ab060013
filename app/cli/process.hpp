/// @file process.hpp   Other programs: run to their end, connected by pipes, in a box with limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kport::cli {

/// How a program ended, and what it wrote.
struct Ended {
    enum class Cut : std::uint8_t { no, time, output };

    int status = 0;  ///< as waitpid() gives it
    std::string out;
    std::string err;
    Cut cut = Cut::no;  ///< by which limit it was ended

    /// It returned 0.
    [[nodiscard]] bool well() const { return status == 0; }
};

/// Limits of a program of a stranger. It has no standard input, and what it writes to standard error is cut at 64 KiB.
struct RunLimits {
    double seconds;      ///< on the clock
    std::size_t output;  ///< bytes that it may write to standard output
};

/// Runs a program, which is looked up in PATH, and takes what it writes. `command` begins with its name as it sees it. It is
/// asked to end when interrupted() is set, and killed at its limits. Nothing where there is no such program. Any number of threads. Throws
/// OutputError where the system starts none.
[[nodiscard]] std::optional<Ended> run_program(const std::string& program, std::vector<std::string> command,
                                               const RunLimits* limits = nullptr);

/// This program itself.
[[nodiscard]] Ended run_kport(std::vector<std::string> command);

/// Closed in programs that this one starts; its ends are closed at the latest when it is destroyed.
class Pipe {
  public:
    /// Throws OutputError where the system gives none.
    Pipe();
    ~Pipe();
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    /// Negative once it is closed.
    [[nodiscard]] int reader() const { return ends_[0]; }
    [[nodiscard]] int writer() const { return ends_[1]; }
    void close_reader() { close_end(0); }
    void close_writer() { close_end(1); }

    /// Appends the bytes that are there, at most 64 KiB; closes the reader at the end of the pipe. Returns whether any came.
    bool read_into(std::string& text);

  private:
    void close_end(std::size_t end);

    std::array<int, 2> ends_{-1, -1};
};

/// One stream of that process.
class Relayed {
  public:
    /// `speaker`: stands before each line; empty: the text is passed on unchanged.
    Relayed(Pipe& pipe, std::string speaker, std::string name)
        : pipe_(pipe), speaker_(std::move(speaker)), name_(std::move(name)) {}

    /// Passes on what is there; the last, unfinished line waits for its end. Returns whether anything was there.
    bool pass_on();
    /// Passes on an unfinished line.
    void finish();

  private:
    void write_lines();
    void write(std::string_view text);

    Pipe& pipe_;
    std::string speaker_;
    std::string name_;
    std::string line_;
    std::size_t written_ = 0;
};

/// What runs in a box and what it may use. It sees /usr, what `shows` names and 16 MiB of /tmp: no network, no other file, no process of
/// this computer, no other environment.
struct Box {
    std::vector<std::string> command;           ///< it begins in an empty folder that it may write to
    std::vector<std::string> shows = {};        ///< files and folders, under their names; read-only
    std::vector<std::string> environment = {};  ///< "NAME=value"
    std::string folder =
        {};  ///< the empty folder where the system around is the box: no bubblewrap, only limits; empty: bubblewrap
    double seconds = 10;                              ///< on the clock, for all of it
    std::uint64_t processor_seconds = 10;             ///< of each process
    std::uint64_t memory = std::uint64_t{512} << 20;  ///< bytes of addresses of each process
    std::size_t output = std::size_t{16} << 20;       ///< bytes; it is ended when it writes more
};

/// Runs it to its end, or to that of its limits (Ended::cut). Any number of threads. Throws OutputError where the system starts no process.
[[nodiscard]] Ended run_in_box(const Box& box);

/// Why there can be no boxes here: bubblewrap is missing, or namespaces are off. Nothing where they work.
[[nodiscard]] std::optional<std::string> why_no_box();

/// Whether this process is root, and nothing limits what such a process can do: no container, no limit of processes.
[[nodiscard]] bool is_root_without_container();

}  // namespace kport::cli
