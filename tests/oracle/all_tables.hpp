/// @file all_tables.hpp   The rows of all tables of costs, by operation and algorithm.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "emulator/schedule/operation.hpp"
#include "tests/oracle/table.hpp"

namespace kport::oracle {

/// By "operation algorithm".
using Tables = std::map<std::string, std::vector<Row>>;
inline const Tables& tables() {
    static const Tables all = [] {
        Tables by_name;
        const auto add = [&](const std::vector<Row>& rows) {
            for (const Row& row : rows) by_name[row["operation"] + " " + row["algorithm"]].push_back(row);
        };
        for (const Operation& operation : operations())
            if (has_table(std::string(name(operation)))) add(table(std::string(name(operation))));
        add(table("more_operations"));
        for (const char* packets : {"broadcast_packets", "reduce_vector", "scatter_packets", "gather_packets",
                                    "allgather_packets", "allreduce_vector", "reduce_scatter"})
            add(table(packets));
        add(counted());
        return by_name;
    }();
    return all;
}

/// A name of an algorithm as gtest takes it.
inline std::string word(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    return text;
}

}  // namespace kport::oracle
