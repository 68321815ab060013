/// @file asked.hpp   A row of a table of costs as it is asked for: machine, collective, options, prices.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/machine/smaller_machine.hpp"
#include "tests/oracle/collective.hpp"
#include "tests/oracle/table.hpp"

namespace kport::oracle {

inline AlgorithmOptions options_of(const std::string& text) {
    AlgorithmOptions options;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        std::string value;
        words >> value;
        if (word == "--keep") {
            options.keep = value == "greater" ? Keep::greater : Keep::smaller;
        } else if (word == "--arity") {
            options.arity = std::stoull(value);
        } else if (word == "--gather") {
            options.gather = value == "ring" ? GatherBy::ring : GatherBy::bruck;
        } else if (word == "--dimensions") {
            std::istringstream list(value);
            for (std::string item; std::getline(list, item, ',');)
                options.dimensions.push_back(static_cast<unsigned>(std::stoul(item)));
        } else if (word == "--op") {
            options.reduction = {Operator::concat, ElementType::text, {}};
        } else if (word == "--order") {
            options.preorder = value == "preorder";
        } else if (word == "--aggregate") {
            options.aggregate = std::stoull(value);
        } else if (word == "--groups") {
            std::istringstream groups(value);
            for (std::string group; std::getline(groups, group, '/');) options.groups.push_back(nodes_of(group));
        } else if (word == "--intra") {
            options.intra = value;
        } else if (word == "--inter") {
            options.inter = value;
        } else if (word != "--permutation" && word != "--counts" && word != "--sources" && word != "--members" &&
                   word != "--relay") {  // of the collective
            ADD_FAILURE() << "the tables use an option that this test does not know: " << word;
        }
    }
    return options;
}

inline PortLimit ports_of(const Row& row) {
    return row["ports"] == "all" ? PortLimit::all() : PortLimit(static_cast<Port>(row.number("ports")));
}

inline Machine machine_of(const Row& row) {
    Machine machine;
    machine.topology = make_topology(row["topology"]);
    machine.ports = ports_of(row);
    machine.switching = row["switching"] == "WH" ? Switching::wormhole : Switching::store_and_forward;
    machine.combining = row.yes("combining");
    return machine;
}

/// One of the two sets of costs under which the tables give latencies.
struct CostModel {
    const char* column;
    Costs costs;
    std::uint64_t packet_bytes;
};

inline std::vector<CostModel> cost_models(Operation operation) {
    // Reductions fold elements of 8 bytes: with an eighth of the cost a byte they cost what packets of one byte do.
    const CostModel b =
        operation.folds() ? CostModel{"latency_B", {100, 7, 0.125}, 8} : CostModel{"latency_B", {100, 7, 1}, 1};
    return {{"latency_A", {100, 1, 2}, 8}, b};
}

/// A row as it is asked for under a cost model.
struct Asked {
    Machine machine;
    Collective collective;
    AlgorithmOptions options;

    Asked(const Row& row, const CostModel& model)
        : machine(machine_of(row)), collective(collective_of(row, model.packet_bytes)),
          options(options_of(row["options"])) {
        machine.costs = model.costs;
        ask_members(row["options"]);
    }

    [[nodiscard]] const Algorithm& algorithm(const std::string& name) const {
        return algorithm_named(name, machine, collective, options);
    }
    /// "--members 0,3,12 --relay all"
    void ask_members(const std::string& text) {
        std::istringstream words(text);
        std::string option;
        std::string members;
        if (!(words >> option >> members) || option != "--members") return;
        const NodeId nodes = machine.topology->nodes();
        if (words >> option) {
            collective = among_relays(collective, nodes_of(members), nodes);
            return;
        }
        machine = member_machine(machine, nodes_of(members));
        if (collective.rooted()) collective.root = machine.topology->membership()->nodes.rank(collective.root);
    }
    [[nodiscard]] Verdict run(const Algorithm& algorithm, const RunOptions& run_options = {}) const {
        return run_algorithm(algorithm, machine, collective, options, Payload{}, run_options).verdict;
    }
};

}  // namespace kport::oracle
