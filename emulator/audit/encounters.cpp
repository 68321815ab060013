#include "emulator/audit/encounters.hpp"

#include <algorithm>

namespace kport {

void Encounters::met(NodeId from, NodeId to) {
    meetings_.push_back({from, to});
    meetings_.push_back({to, from});
}

void Encounters::crossed(const Topology& topology, NodeId v, Port port, NodeId sender) {
    const LinkEnd end = topology.across(v, port);
    if (v < end.node)
        crossings_.push_back({v, port, false, sender});
    else
        crossings_.push_back({end.node, end.port, true, sender});
}

void Encounters::take(Encounters& other) {
    meetings_.insert(meetings_.end(), other.meetings_.begin(), other.meetings_.end());
    crossings_.insert(crossings_.end(), other.crossings_.begin(), other.crossings_.end());
    other.meetings_.clear();
    other.crossings_.clear();
}

void Encounters::judge(const Machine& machine, Round round, ViolationLog& log) {
    if (machine.pairwise) judge_partners(round, log);
    if (machine.links == Duplex::half) judge_links(round, log);
    meetings_.clear();
    crossings_.clear();
}

void Encounters::judge_partners(Round round, ViolationLog& log) {
    std::ranges::sort(meetings_);
    meetings_.erase(std::ranges::unique(meetings_).begin(), meetings_.end());
    for (auto first = meetings_.begin(); first != meetings_.end();) {
        const auto last = std::find_if(first, meetings_.end(), [&](const Meeting& m) { return m.node != first->node; });
        if (last - first > 1) {
            Violation several;
            several.breach = Breach::several_partners;
            several.round = round;
            several.node = first->node;
            several.earlier_other = first->partner;
            several.other = (first + 1)->partner;
            several.limit = static_cast<std::uint64_t>(last - first);
            log.add(several);
        }
        first = last;
    }
}

void Encounters::judge_links(Round round, ViolationLog& log) {
    std::ranges::sort(crossings_);
    for (auto first = crossings_.begin(); first != crossings_.end();) {
        const auto other_link = [&](const Crossing& c) { return c.low != first->low || c.port != first->port; };
        const auto last = std::find_if(first, crossings_.end(), other_link);
        const auto back = std::find_if(first, last, [](const Crossing& c) { return c.towards_low; });
        if (back != first && back != last) {
            Violation both;
            both.breach = Breach::link_both_ways;
            both.round = round;
            both.node = first->low;
            both.port = first->port;
            both.earlier_other = first->sender;
            both.other = back->sender;
            log.add(both);
        }
        first = last;
    }
}

}  // namespace kport
