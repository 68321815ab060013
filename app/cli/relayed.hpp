/// @file relayed.hpp   What the process of an algorithm file prints, passed to standard error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "app/cli/pipe.hpp"

namespace kport::cli {

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

}  // namespace kport::cli
