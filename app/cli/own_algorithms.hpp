/// @file own_algorithms.hpp   Algorithms in files: ./mine.cpp, or a shared object that kport has made of one; and what `kport new` writes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/session/comparison.hpp"
#include "app/session/experiment.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::cli {

/// The algorithms that the words name by file.
class OwnFiles {
  public:
    /// Compiles them. Throws RequestError for what is no algorithm, or was built for another kport. No code of theirs runs.
    explicit OwnFiles(const Words& words);

    [[nodiscard]] bool empty() const { return files_.empty(); }
    /// "./mine.cpp, ./theirs.cpp".
    [[nodiscard]] std::string names() const;
    [[nodiscard]] const std::vector<std::string>& list() const { return files_; }
    /// Runs their code: only in the process with the code (supervise()). The catalogue has them then under these names.
    void load() const;
    /// Runs the code of one of them only.
    void load(const std::string& file) const;

  private:
    std::vector<std::string> files_;
    std::vector<std::filesystem::path> objects_;
};

/// For commands that report in text: compiles and loads the files that the words name, in a process of its own, and in this one waits
/// for the text, writes it, and returns the exit status. Nothing in the process with the code, and if no file is named.
///
/// Errors   as OwnFiles(); NoVerdict; OutputError.
[[nodiscard]] std::optional<int> reported_by_own_files(const Words& words);

/// What the code in a file says of its algorithm.
struct OwnFacts {
    std::string rule;
    bool in_order = false;
};

/// Adds a row to the catalogue for an algorithm whose code ran in another process. It runs where follow() has named a schedule.
void follow_in_catalogue(const Operation& operation, const std::string& file, const OwnFacts& facts);
/// From now on runs of such algorithms follow this schedule, which must outlive them. One thread.
void follow(const Schedule& schedule);

/// The shared object of a source: compiled against kport's headers, with signs of life, or kept from an earlier time when the
/// preprocessed source was the same (in the user's cache). The compiler is $CXX, else c++, g++ or clang++; it gets $CXXFLAGS too.
/// What the compiler says goes to standard error.
///
/// Errors   RequestError: a file that cannot be read or does not compile, a co_await that g++ 12 miscompiles, no headers, no
///          compiler.
[[nodiscard]] std::filesystem::path compiled(const std::string& source);

/// Compiles the files that the words name, runs each in every experiment in a process of its own, and adds rows for them to the
/// catalogue; null if they name none. A process that ends without a complete schedule is a failure of its row. Call it before there
/// are threads: it forks.
///
/// Memory   the schedules of all these runs.
/// Errors   as OwnFiles(); NoVerdict where a signal has ended such a process.
[[nodiscard]] std::unique_ptr<OutOfProcess> own_rows(const Words& words, std::span<const Experiment> experiments);

/// What compiles the source of an algorithm: the compiler, its flags, and the folders of headers that these name.
struct Toolchain {
    std::string compiler;
    std::vector<std::string> flags;
    std::vector<std::filesystem::path> headers;
};
/// The compiler of compiled(), with kport's headers read beforehand where it can. Throws RequestError where there is none.
[[nodiscard]] Toolchain toolchain();

struct OwnTemplate {
    std::string_view operation;
    std::string_view text;  ///< it calls itself ./mine.cpp
};

/// One for each file of app/cli/templates/.
[[nodiscard]] std::span<const OwnTemplate> own_templates();

}  // namespace kport::cli
