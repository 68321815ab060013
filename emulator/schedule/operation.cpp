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
    for (const OperationInfo& info : operations()) words.push_back(info.name);
    for (const OperationInfo& info : operations())
        if (!info.alias.empty()) words.push_back(info.alias);
    return words;
}

}  // namespace

const std::vector<OperationInfo>& operations() {
    static const std::vector<OperationInfo> all = {
        {Operation::broadcast, "broadcast", "OAB", "the packet of one node reaches every node"},
        {Operation::scatter, "scatter", "OAS", "one node gives every other node a packet of its own"},
        {Operation::gather, "gather", "AOG", "one node collects a packet from every other node"},
        {Operation::reduce, "reduce", "AOR", "one node gets the combination of every node's contribution"},
        {Operation::allreduce, "allreduce", "", "every node gets the combination of every node's contribution"},
        {Operation::scan, "scan", "", "node k gets the combination of the contributions of nodes 0 .. k, in order"},
        {Operation::allgather, "allgather", "AAB", "every node's packet reaches every node"},
        {Operation::alltoall, "alltoall", "AAS", "every node gives every other node a packet of its own"},
    };
    return all;
}

std::string_view name(Operation operation) {
    if (operation == Operation::none) return "none";
    const auto index = static_cast<std::size_t>(operation);
    if (index >= operations().size()) throw RequestError(fmt::format("there is no operation number {}", index));
    return operations()[index].name;
}

Operation operation_named(std::string_view word) {
    for (const OperationInfo& info : operations())
        if (same_word(word, info.name) || same_word(word, info.alias)) return info.operation;
    const std::vector<std::string_view> words = all_words();
    throw RequestError(fmt::format("no operation is called {}{} (`kport list operations` shows all)", quoted(word),
                                   did_you_mean(word, words)));
}

}  // namespace kport
