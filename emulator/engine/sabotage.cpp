#include "emulator/engine/sabotage.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "emulator/topology/broken.hpp"

namespace kport {

bool Sabotage::loses_wake_up(const Topology& topology, NodeId v, Round round) {
    if (fault_ != Fault::lose_wake_up || !strikes()) return false;
    Injected injected;
    injected.what = fmt::format("node {} is not told that a message of round {} has come", topology.name(v), round);
    injected.rule = Rule::delivery;
    injected.certain = false;  // further mail may wake it, or it is done
    note(std::move(injected));
    return true;
}

bool Sabotage::harms(const Topology& topology, NodeId v, NodeId from, Round round) {
    if (!info(fault_).of_bytes()) return false;
    if (messages_.contains({round, from, v})) return true;
    if (!strikes()) return false;
    Injected injected;
    const std::string_view how = fault_ == Fault::corrupt ? "a bit changes of" : "no bytes come of";
    injected.what = fmt::format("{} what node {} receives in round {}", how, topology.name(v), round);
    injected.rule = Rule::delivery;
    note(std::move(injected));
    return true;
}

std::optional<Violation> Sabotage::loss(const Topology& topology, Round round, NodeId from,
                                        std::span<const Port> route) const {
    if (broken_ == nullptr) return std::nullopt;
    Violation lost;
    lost.round = round;
    lost.node = from;
    lost.port = route.empty() ? no_port : route.front();
    NodeId broken_node = broken_->has(from) ? from : no_node;
    BrokenParts::Link broken_link(no_node, no_node);
    NodeId at = from;
    for (const Port port : route) {
        const NodeId next = topology.across(at, port).node;
        if (broken_link.first == no_node && broken_->has(at, next)) broken_link = std::minmax(at, next);
        if (broken_node == no_node && broken_->has(next)) broken_node = next;
        at = next;
    }
    lost.other = at;
    if (broken_node != no_node) {
        lost.breach = Breach::lost_at_node;
        lost.earlier_other = broken_node;
        return lost;
    }
    if (broken_link.first == no_node) return std::nullopt;
    lost.breach = Breach::lost_on_link;
    lost.earlier_other = broken_link.first;
    lost.limit = broken_link.second;
    return lost;
}

}  // namespace kport
