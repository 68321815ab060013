#include "emulator/schedule/operation.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

bool same_word(std::string_view a, std::string_view b) {
    const auto same_letter = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

/// Every name and alias of an operation: the names first, so that a suggestion is a name.
std::vector<std::string_view> all_words() {
    std::vector<std::string_view> words;
    for (const Operation& operation : operations()) words.push_back(operation->name);
    for (const Operation& operation : operations())
        if (!operation->alias.empty()) words.push_back(operation->alias);
    return words;
}

}  // namespace

// Written by CMake; where files are built as one it may come before. NOLINTNEXTLINE(readability-redundant-declaration)
std::vector<Operation> operations_in_files();

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all_rows = operations_in_files();
    return all_rows;
}

Operation operation_named(std::string_view word) {
    for (const Operation& operation : operations())
        if (same_word(word, operation->name) || same_word(word, operation->alias)) return operation;
    const std::vector<std::string_view> words = all_words();
    throw RequestError(fmt::format("no operation is called {}{} (`kport list operations` shows all)", quoted(word),
                                   did_you_mean(word, words)));
}

}  // namespace kport
