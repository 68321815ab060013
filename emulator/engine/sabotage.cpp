#include "emulator/engine/sabotage.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

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

}  // namespace kport
