/// @file pipe.hpp   A pipe to another process.
#pragma once

#include <array>
#include <string>

namespace kport::cli {

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

}  // namespace kport::cli
