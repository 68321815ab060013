/// @file operation.hpp   The collective operations by name, with their promises.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace KPORT_PUBLIC kport {

enum class Operation : std::uint8_t {
    broadcast,
    scatter,
    gather,
    reduce,
    allreduce,
    scan,
    allgather,
    alltoall,
    none  ///< promises nothing: messages have contents (Data), and the machine's rules alone are judged (Promise::none())
};

/// Name on the command line, the course's abbreviation (empty where it has none), and what it promises in one line.
struct OperationInfo {
    Operation operation;
    std::string_view name;
    std::string_view alias;
    std::string_view promise;
};

/// The eight that promise something, in the order of the enumeration.
[[nodiscard]] const std::vector<OperationInfo>& operations();
/// Throws RequestError for a number that is no operation's.
[[nodiscard]] std::string_view name(Operation operation);
/// By name or alias, in any case of letters; throws RequestError with the nearest valid name.
[[nodiscard]] Operation operation_named(std::string_view word);

}  // namespace kport
