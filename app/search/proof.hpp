/// @file proof.hpp   The proof that there is no schedule of so many rounds, as files for a checker that is no part of kport.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kport::search {

/// What a solver proves of one formula: the formula as DIMACS, and the solver's steps to a contradiction as DRAT, as text.
///
/// The steps are written beside the file while the solver works; nothing stands under its name before keep().
///
/// Callers  one thread.  Memory  4 bytes for each literal of the formula.
/// Errors   std::system_error where a file cannot be written.
class ProofFile {
  public:
    /// The steps go to `path`, the formula to the path with ".cnf" behind it.
    explicit ProofFile(const std::string& path);
    /// Removes what was not kept.
    ~ProofFile();
    ProofFile(const ProofFile&) = delete;
    ProofFile& operator=(const ProofFile&) = delete;

    /// Where the solver writes its steps.
    [[nodiscard]] std::FILE* steps() const { return steps_.get(); }
    /// A clause of the formula.
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
    std::vector<int> literals_;  ///< a 0 ends each clause
    std::size_t clauses_ = 0;
};

}  // namespace kport::search
