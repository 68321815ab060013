#include "app/search/proof.hpp"

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/whole_file.hpp"

namespace kport::search {
namespace {

std::string unfinished(const std::string& path) { return path + ".unfinished"; }

[[noreturn]] void fail(const std::string& path) { throw std::system_error(errno, std::generic_category(), path); }

}  // namespace

ProofFile::ProofFile(const std::string& path) : path_(path), steps_(std::fopen(unfinished(path).c_str(), "w")) {
    if (steps_ == nullptr) fail(path_);
}

ProofFile::~ProofFile() {
    std::error_code none;
    std::filesystem::remove(unfinished(path_), none);
}

void ProofFile::add(std::span<const int> clause) {
    literals_.insert(literals_.end(), clause.begin(), clause.end());
    literals_.push_back(0);
    ++clauses_;
}

void ProofFile::keep(int variables) {
    std::string formula = fmt::format("p cnf {} {}\n", variables, clauses_);
    for (const int literal : literals_)
        fmt::format_to(std::back_inserter(formula), "{}{}", literal, literal == 0 ? '\n' : ' ');
    if (const auto why = replace_file(formula_of(path_), formula))
        throw std::system_error(std::make_error_code(std::errc::io_error), formula_of(path_) + ": " + *why);
    const bool failed = std::ferror(steps_.get()) != 0;
    if (std::fclose(steps_.release()) != 0 || failed) fail(path_);
    std::filesystem::rename(unfinished(path_), path_);
}

}  // namespace kport::search
