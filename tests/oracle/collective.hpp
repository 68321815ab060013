/// @file collective.hpp   What a row of a table asks for.
#pragma once

#include <string>
#include <string_view>

#include "emulator/schedule/collective.hpp"
#include "tests/oracle/table.hpp"

namespace kport::oracle {

inline Collective collective_of(const Row& row, std::uint64_t packet_bytes) {
    Collective collective =
        Collective::of(operation_named(row["operation"]), row.has("source") ? row.number("source") : 0, packet_bytes);
    if (row.has("packets")) collective.packets_each = row.number("packets");
    constexpr std::string_view permutation = "--permutation ";
    if (row["options"].starts_with(permutation))
        collective.permutation = permutation_named(row["options"].substr(permutation.size()));
    return collective;
}

}  // namespace kport::oracle
