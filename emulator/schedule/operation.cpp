#include "emulator/schedule/operation.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

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

/// As did_you_mean(): a name as reports have it, or else an abbreviation that is near.
std::string name_meant(std::string_view word) {
    const std::vector<std::string_view> words = all_words();
    const std::string name = did_you_mean(word, std::span(words).first(operations().size()));
    return name.empty() ? did_you_mean(word, words) : name;
}

/// "; did you mean 'permutation shift:1'?" for who takes a permutation for an operation.
std::string permutation_meant(std::string_view word) {
    constexpr std::string_view shift = "shift";
    const std::size_t colon = std::min(word.find(':'), word.size());
    const std::string_view name =
        called_so(word.substr(0, colon), std::array<std::string_view, 3>{shift, "transpose", "bit-reversal"});
    if (name.empty()) return "";
    const std::string_view by = word.substr(colon);
    return fmt::format("; did you mean 'permutation {}{}'?", name,
                       name != shift                             ? ""
                       : by.size() > 1 && to_count(by.substr(1)) ? by
                                                                 : ":1");
}

}  // namespace

// Written by CMake; where files are built as one it may come before. NOLINTNEXTLINE(readability-redundant-declaration)
std::vector<Operation> operations_in_files();

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all_rows = operations_in_files();
    return all_rows;
}

std::optional<Operation> operation_meant(std::string_view word) {
    for (const Operation& operation : operations())
        for (const std::string_view known : {operation->name, operation->alias, operation->other})
            if (!known.empty() && same_but_for_signs(word, known)) return operation;
    return std::nullopt;
}

Operation operation_named(std::string_view word) {
    if (const auto meant = operation_meant(word)) return *meant;
    if (word == name(Operation::none))
        throw RequestError(
            "none promises nothing, so no algorithm runs it; it is for schedules in files, as in 'kport check FILE "
            "none' "
            "('kport list operations' shows the others)");
    const std::string permutation = permutation_meant(word);
    throw RequestError(fmt::format("no operation is called {}{} ('kport list operations' shows all)", quoted(word),
                                   permutation.empty() ? name_meant(word) : permutation));
}

}  // namespace kport
