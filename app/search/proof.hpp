/// @file proof.hpp   Files that prove that there is no schedule of so many rounds, for an independent checker.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kport::search {

/// A solver's proof of one formula: the formula as DIMACS, and the solver's steps to a contradiction as DRAT, as text.
///
/// The steps are written to a temporary file while the solver works; the final name exists only after keep().
///
/// Callers  one thread.  Memory  4 bytes for each literal of the formula.
/// Errors   std::system_error if a file cannot be written.
class ProofFile {
  public:
    /// The steps go to `path`, the formula to `path` with ".cnf" appended.
    explicit ProofFile(const std::string& path);
    /// Removes files that were not kept.
    ~ProofFile();
    ProofFile(const ProofFile&) = delete;
    ProofFile& operator=(const ProofFile&) = delete;

    /// Returns the file to which the solver writes its steps.
    [[nodiscard]] std::FILE* steps() const { return steps_.get(); }
    /// Adds a clause of the formula.
    void add(std::span<const int> clause);
    /// The formula has no solution, and all steps are written: replaces both files.
    void keep(int variables);

    [[nodiscard]] static std::string formula_of(const std::string& path) { return path + ".cnf"; }

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::string path_;
    std::unique_ptr<std::FILE, Close> steps_;
    std::vector<int> literals_;  ///< clauses, each ended by a 0
    std::size_t clauses_ = 0;
};

}  // namespace kport::search
