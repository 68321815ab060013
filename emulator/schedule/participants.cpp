#include "emulator/schedule/participants.hpp"

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

}  // namespace kport
