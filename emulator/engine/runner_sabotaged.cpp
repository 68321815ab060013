/// @file runner_sabotaged.cpp   Injected faults of folds and of bytes in a runner.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "emulator/engine/runner.hpp"
#include "emulator/fault/moves.hpp"

namespace kport {

void Runner::may_corrupt(NodeId v, NodeId from, std::byte* bytes, Round round) {
    if (bytes != nullptr && stage_.sabotage->harms(stage_.topology, v, from, round)) *bytes ^= std::byte{1};
}

void Runner::may_harm(NodeId v, NodeId from, Round round, std::span<std::byte> bytes, Seal& seal) {
    if (!stage_.sabotage->harms(stage_.topology, v, from, round)) return;
    if (stage_.sabotage->fault() == Fault::lose_payload) {
        // Nor has the seal come: the receiver's memory is as it was made.
        std::ranges::fill(bytes, std::byte{0});
        seal = 0;
    } else if (bytes.empty()) {
        seal ^= 1;
    } else {
        bytes.front() ^= std::byte{1};
    }
}

Value Runner::sabotaged_fold(const Node& node, const Value& left, const Value& right) {
    Sabotage& sabotage = *stage_.sabotage;
    if (!info(sabotage.fault()).folds() || !sabotage.strikes()) return folded(node, left, right);
    const std::string who = fmt::format("node {} in round {}", stage_.topology.name(node.id()), round_);
    Injected injected;
    injected.rule = Rule::delivery;
    injected.packets = violation_names(right.contributions().blocks(), stage_.job.collective, stage_.topology.nodes());
    injected.numbers_a_segment = stage_.topology.nodes() + 1;
    const auto noted = [&](std::string what) {
        injected.what = std::move(what);
        sabotage.note(std::move(injected));
    };
    // What is folded of the last nodes is in no prefix that others want.
    injected.certain = !stage_.job.collective.scans();
    if (sabotage.fault() == Fault::fold_not) {
        noted(who + " does not fold a value that came");
        return left;
    }
    injected.round = round_;
    injected.node = node.id();
    if (sabotage.fault() == Fault::fold_twice) {
        noted(who + " folds a value twice");
        return folded(node, folded(node, left, right), right);
    }
    injected.packets.clear();
    noted(who + " folds two values the wrong way round");
    return folded(node, right, left);
}

}  // namespace kport
