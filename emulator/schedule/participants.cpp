#include "emulator/schedule/participants.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kport {

std::optional<Participants> participants_of(const Collective& collective, const Topology& topology) {
    const Membership* const membership = topology.membership();
    if (collective.members == nullptr && (membership == nullptr || membership->is_renumbering)) return std::nullopt;
    Participants found;
    found.of = named_machine(topology).nodes();
    if (collective.members == nullptr) {
        found.members = membership->nodes.nodes();
        return found;
    }
    found.members = named_numbers(topology, collective.members->nodes());
    found.all_relay = topology.membership() == nullptr;
    for (NodeId v = 0; !found.all_relay && v < topology.nodes(); ++v)
        if (!collective.members->has(v)) found.relays.push_back(topology.number(v));
    return found;
}

Collective of_group(const Collective& collective, std::size_t group) {
    const RankedNodes& nodes = (*collective.groups)[group];
    Collective own = collective;
    own.groups = nullptr;
    own.neighbours = nullptr;  // those of the group are looked up there
    own.root = collective.rooted() && nodes.has(collective.root) ? nodes.rank(collective.root) : 0;
    return own;
}

std::shared_ptr<const Counts> asked_counts(const Collective& collective) {
    if (collective.members == nullptr || collective.counts == nullptr) return collective.counts;
    auto of_members = std::make_shared<const Counts>(collective.counts->of_nodes(collective.members->nodes()));
    const bool are_alike = of_members->least() == of_members->largest() && of_members->bytes() == nullptr;
    return are_alike ? nullptr : of_members;
}

std::string relay_text(const Participants& participants) {
    if (participants.all_relay) return "all";
    return participants.relays.empty() ? "members" : list_of_nodes(participants.relays);
}

std::string machine_in_words(const Collective& collective, const Topology& topology) {
    if (collective.groups != nullptr)
        return fmt::format("{} in {} group{}", topology.spec(), collective.groups->size(),
                           collective.groups->size() == 1 ? "" : "s");
    const std::optional<Participants> some = participants_of(collective, topology);
    if (!some) return named_machine(topology).spec();
    const std::string relayed = relay_text(*some);
    return fmt::format("{} among {} of {} nodes{}", named_machine(topology).spec(), some->members.size(), some->of,
                       relayed == "members" ? std::string() : fmt::format(", relayed by {}", relayed));
}

namespace {

bool rows_are_of_nodes(const Collective& collective) {
    const CountedFor counted_for = collective.operation->counted_for;
    return counted_for == CountedFor::pairs || counted_for == CountedFor::blocks;
}

/// Takes packets of members to those of all nodes.
class MembersPackets {
  public:
    MembersPackets(const Collective& collective, const Topology& members)
        : members_(members.membership()->nodes), nodes_(members.membership()->whole->nodes()),
          copies_(collective.operation->carries == Carries::copies), rows_of_nodes_(rows_are_of_nodes(collective)),
          m_(collective.packets_each) {}

    [[nodiscard]] PacketSet of(std::span<const PacketBlock> packets) const {
        PacketSet all;
        for (const PacketBlock& block : packets) {
            if (copies_) {
                all.add(block);
                continue;
            }
            for (std::uint32_t c = 0; c < block.count; ++c) add_column(block, block.columns()[c], all);
        }
        return all;
    }

  private:
    void add_column(const PacketBlock& block, std::uint32_t column, PacketSet& to) const {
        const NodeId node = column == members_.count() ? nodes_ : members_.node(column);  // the result of a reduction
        const Progression columns{static_cast<std::uint32_t>(node)};
        if (!rows_of_nodes_) {
            to.add(block_of(block.all_rows(), columns));
            return;
        }
        for (std::uint32_t r = 0; r < block.rows; ++r) {
            const std::uint64_t row = block.all_rows()[r];
            to.add(block_of({static_cast<std::uint32_t>(members_.node(row / m_) * m_ + row % m_)}, columns));
        }
    }

    const RankedNodes& members_;
    NodeId nodes_;
    bool copies_;
    bool rows_of_nodes_;
    std::uint64_t m_;
};

}  // namespace

std::optional<Collective> collective_outside(const Collective& collective, const Topology& members) {
    const Membership& membership = *members.membership();
    const bool ascend = std::ranges::is_sorted(membership.nodes.nodes());
    const bool is_of_graph = collective.operation->fit != nullptr || collective.operation == Operation::permutation;
    if (is_of_graph || collective.is_own() || collective.in_runs || collective.members != nullptr ||
        (collective.scans() && !ascend))
        return std::nullopt;
    Collective outside = collective;
    const NodeId nodes = membership.whole->nodes();
    if (!membership.is_renumbering) outside.members = std::make_shared<const RankedNodes>(membership.nodes);
    if (collective.rooted()) outside.root = members.number(collective.root);
    if (collective.counts != nullptr)
        outside.counts = std::make_shared<const Counts>(collective.counts->placed(membership.nodes.nodes(), nodes));
    if (collective.sources != nullptr)
        outside.sources = std::make_shared<const std::vector<NodeId>>(named_numbers(members, *collective.sources));
    return outside;
}

Schedule schedule_outside(const Schedule& schedule, const Topology& members, const Topology& whole,
                          const PacketsOutside& packets) {
    const Topology& inside = members.wires();
    Schedule all;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        std::vector<Port> route;
        NodeId at = transfer.from;
        for (const Port port : transfer.route) {
            const NodeId next = inside.across(at, port).node;
            route.push_back(whole.wires().port_to(inside.number(at), inside.number(next)));
            at = next;
        }
        const PacketSet carried = packets(transfer.packets);
        all.add(schedule.round(i), {inside.number(transfer.from), inside.number(transfer.to), route, carried.blocks()});
    }
    for (const Silence& silence : schedule.silences()) all.add_silent(silence.first, silence.count);
    return all;
}

Schedule schedule_outside(const Schedule& schedule, const Collective& collective, const Topology& members) {
    const MembersPackets packets(collective, members);
    return schedule_outside(schedule, members, *members.membership()->whole,
                            [&](std::span<const PacketBlock> some) { return packets.of(some); });
}

Collective carried_in(const Collective& collective) {
    if (collective.groups == nullptr) return collective;
    Collective contents = Collective::none();
    if (collective.packet_bytes == 0) contents.packet_bytes = 0;  // signals, which count as contents of one byte
    return contents;
}

}  // namespace kport
