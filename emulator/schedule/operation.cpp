#include "emulator/schedule/operation.hpp"

#include <cctype>
#include <string>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

/// What tells words apart: "All_Reduce" is "allreduce".
std::string plain(std::string_view word) {
    std::string letters;
    for (const unsigned char c : word)
        if (c != '-' && c != '_') letters += static_cast<char>(std::tolower(c));
    return letters;
}

/// Every name of an operation: the names in reports first, so that a suggestion is one of them.
std::vector<std::string_view> all_words() {
    std::vector<std::string_view> words;
    for (const auto member : {&OperationRecord::name, &OperationRecord::alias, &OperationRecord::other})
        for (const Operation& operation : operations())
            if (const std::string_view word = operation.operator->()->*member; !word.empty()) words.push_back(word);
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
    const std::string asked = plain(word);
    for (const Operation& operation : operations())
        for (const std::string_view known : {operation->name, operation->alias, operation->other})
            if (!asked.empty() && asked == plain(known)) return operation;
    const std::vector<std::string_view> words = all_words();
    throw RequestError(fmt::format("no operation is called {}{} (`kport list operations` shows all)", quoted(word),
                                   did_you_mean(word, words)));
}

}  // namespace kport
