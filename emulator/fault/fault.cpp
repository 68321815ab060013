#include "emulator/fault/fault.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/fault/moves.hpp"

namespace kport {

const std::vector<FaultInfo>& faults() {
    using enum FaultPlace;
    static const std::vector<FaultInfo> all = {
        {Fault::drop, "drop", "a message is lost", ""},
        {Fault::duplicate, "duplicate", "a message arrives again a round later", "packets, not signals"},
        {Fault::echo, "echo", "a message comes back to its sender", "packets, not signals"},
        {Fault::misdeliver, "misdeliver", "a message arrives at a node to which its path does not lead", "3 nodes"},
        {Fault::forge, "forge", "a node sends a packet that it does not hold", ""},
        {Fault::send_unheld, "send-unheld", "a message carries an extra packet that its sender does not hold",
         "many packets, combining"},
        {Fault::take_apart, "take-apart", "a message lacks part of a value that its sender has only as a whole",
         "a reduction, three rounds"},
        {Fault::corrupt, "corrupt", "a bit of a message changes on its way", "messages with bytes"},
        {Fault::lose_payload, "lose-payload", "a message arrives without its bytes", "messages with bytes"},
        {Fault::reorder, "reorder", "a message and the one that forwards its packet swap rounds", "two rounds"},
        {Fault::late, "late", "a message arrives a round late, when its packet is due to be forwarded", "two rounds"},
        {Fault::same_round, "same-round", "a node forwards a packet in the round of its arrival", "two rounds"},
        {Fault::exceed_sends, "exceed-sends", "a node starts more sends than it has ports", "fewer ports than links"},
        {Fault::exceed_receives, "exceed-receives", "a node receives more messages than it has ports",
         "fewer ports than links"},
        {Fault::exceed_both, "exceed-both", "a half duplex port sends while it receives", "half duplex"},
        {Fault::second_partner, "second-partner", "a node meets two others in a round", "pairwise, 3 nodes"},
        {Fault::channel_twice, "channel-twice", "two messages of a round use the same channel", ""},
        {Fault::link_both_ways, "link-both-ways", "a link carries a message in each direction in a round",
         "half duplex links"},
        {Fault::jump, "jump", "a store-and-forward message crosses two links in a round", "3 nodes, store-and-forward"},
        {Fault::no_such_edge, "no-such-edge", "a message takes a link that does not lead to its receiver", "3 nodes"},
        {Fault::visit_twice, "visit-twice", "a path visits its first node twice", "wormhole"},
        {Fault::bundle, "bundle", "a message carries two packets where one is allowed",
         "many packets, without combining"},
        {Fault::silent_round, "silent-round", "a round passes in which nothing moves", ""},
        {Fault::malformed, "malformed", "the schedule names an unknown node, port or packet, or has no path", ""},
        {Fault::fold_twice, "fold-twice", "a contribution is folded twice", "a reduction", engine},
        {Fault::fold_not, "fold-not", "a received contribution is not folded", "a reduction", engine},
        {Fault::fold_out_of_order, "fold-out-of-order", "the operands of a fold are swapped", "a reduction by concat",
         engine},
        {Fault::lose_wake_up, "lose-wake-up", "a node misses the wake-up for a message", "", engine},
    };
    return all;
}

const FaultInfo& info(Fault fault) { return faults()[static_cast<std::size_t>(fault)]; }

Fault fault_named(std::string_view word) {
    std::vector<std::string_view> names;
    for (const FaultInfo& row : faults()) {
        if (row.name == word) return row.fault;
        names.push_back(row.name);
    }
    throw RequestError(fmt::format("no fault is called {}{} ('kport list faults' shows all)", quoted(word),
                                   did_you_mean(word, names)));
}

std::vector<PacketId> violation_names(std::span<const PacketBlock> packets, const Collective& collective,
                                      NodeId nodes) {
    return numbers(packets, collective.segments(nodes) == 1 ? nodes : nodes + 1);
}

bool Injected::told_by(const Violation& violation) const {
    const bool in_segments = violation.segment != Violation::no_segment;
    const PacketId named = violation.packet + (in_segments ? violation.segment * numbers_a_segment : 0);
    // A node without a value has no result; its missing packets are not named.
    const bool names_none = violation.breach == Breach::never_a_result;
    return rule == violation.rule() && (!round || *round == violation.round) && (!node || *node == violation.node) &&
           (packets.empty() || names_none || std::ranges::find(packets, named) != packets.end());
}

std::string_view name(Finding finding) {
    static constexpr std::array<std::string_view, 5> names = {"reported", "counted", "not looked at", "harmless",
                                                              "missed"};
    return names.at(static_cast<std::size_t>(finding));
}

Found found(const Injected& fault, const Verdict& verdict) {
    const auto tells = [&](const Violation& v) { return fault.told_by(v); };
    if (const auto told = std::ranges::find_if(verdict.violations, tells); told != verdict.violations.end())
        return {Finding::reported, &*told};
    if (fault.rule && verdict.force(*fault.rule) == Force::off) return {Finding::not_looked_at};
    const auto counted = std::ranges::find_if(verdict.counted, [&](const Counted& c) { return c.rule == fault.rule; });
    if (counted != verdict.counted.end() && counted->count > fault.counted_before)
        return {Finding::counted, tells(*counted->first) ? &*counted->first : nullptr};
    return {fault.certain ? Finding::missed : Finding::harmless};
}

}  // namespace kport
