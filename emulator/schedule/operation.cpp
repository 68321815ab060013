#include "emulator/schedule/operation.hpp"

#include <string>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

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
    for (const Operation& operation : operations())
        for (const std::string_view known : {operation->name, operation->alias, operation->other})
            if (!known.empty() && same_but_for_signs(word, known)) return operation;
    const std::vector<std::string_view> words = all_words();
    throw RequestError(fmt::format("no operation is called {}{} (`kport list operations` shows all)", quoted(word),
                                   did_you_mean(word, words)));
}

}  // namespace kport
