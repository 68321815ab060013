/// @file session.hpp   An example of the documents: commands with their output, run again and compared.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kport::docs {

/// A command of a console block and the lines that follow it.
struct Exchange {
    std::string command;  ///< without "$ "; lines that end in a backslash go on, newlines kept
    std::string output;   ///< each line with its newline
};

/// The exchanges of a block. Throws std::runtime_error if it does not begin with "$ ".
[[nodiscard]] std::vector<Exchange> exchanges_of(std::string_view block);
/// The block again. Blank lines at the end of an output part it from the next command.
[[nodiscard]] std::string block_of(const std::vector<Exchange>& exchanges);

/// The reproducible part of an output: times, memory, numbers of threads and blanks at
/// the ends of lines and of the text are removed.
[[nodiscard]] std::string comparable(std::string_view output);

/// True for a command that is shown but not run: ./dev builds for minutes.
[[nodiscard]] bool only_shown(std::string_view command);

/// Runs commands as a reader types them: in a folder with ./dev, where `kport` is on the path and build/release
/// is this build.
class Session {
  public:
    /// `binaries`: the folder of the build, with kport in it.
    explicit Session(const std::filesystem::path& binaries);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Runs a block's commands one after the other in one shell, standard error among the output; those that are only
    /// shown keep what they have. Returns the same commands with what they print now.
    [[nodiscard]] std::vector<Exchange> run(const std::vector<Exchange>& block) const;

    /// Where the commands run.
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  private:
    std::filesystem::path binaries_;
    std::filesystem::path folder_;
};

}  // namespace kport::docs
