#include "algorithms/support/shortest_paths.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>

#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"

namespace kport {

namespace {

/// A parcel on its way.
struct Travelling {
    NodeId at;
    PacketBlock packets;
    std::vector<Port> way;  ///< ports on the rest of its path, the next one last
};

Travelling at_its_start(const Topology& graph, const Parcel& parcel) {
    Travelling start{parcel.from, parcel.packets, {}};
    for (NodeId at = parcel.from; at != parcel.to; at = graph.across(at, start.way.back()).node)
        start.way.push_back(graph.route(at, parcel.to));
    std::ranges::reverse(start.way);
    return start;
}

/// The messages of one round, as far as ports, partners and links allow (model.md section 1).
class RoundOfPaths {
  public:
    explicit RoundOfPaths(const Machine& machine)
        : machine_(machine), sends_(machine.topology->nodes()), receives_(machine.topology->nodes()),
          partner_(machine.topology->nodes(), no_node), sent_by_(machine.topology->nodes()) {}

    void restart() {
        for (const Message& message : messages_) {
            sends_[message.from] = receives_[message.to] = 0;
            partner_[message.from] = partner_[message.to] = no_node;
            sent_by_[message.from].clear();
        }
        messages_.clear();
    }
    /// Whether the parcel moves: as a message or, where messages hold several packets, with another that crosses the
    /// same link.
    [[nodiscard]] bool takes(const Travelling& parcel) {
        const Port port = parcel.way.back();
        const NodeId to = machine_.topology->across(parcel.at, port).node;
        for (const std::size_t i : sent_by_[parcel.at]) {
            if (messages_[i].to != to) continue;
            if (machine_.combining) messages_[i].packets.add(parcel.packets);
            return machine_.combining;
        }
        if (!may_send(parcel.at, to)) return false;
        ++sends_[parcel.at];
        ++receives_[to];
        partner_[parcel.at] = to;
        partner_[to] = parcel.at;
        sent_by_[parcel.at].push_back(messages_.size());
        messages_.push_back({parcel.at, to, port, parcel.packets});
        return true;
    }
    void add_to(Schedule& plan, Round round) const {
        for (const Message& message : messages_)
            plan.add(round, {message.from, message.to, {&message.port, 1}, message.packets.blocks()});
    }

  private:
    struct Message {
        NodeId from;
        NodeId to;
        Port port;
        PacketSet packets;
    };

    [[nodiscard]] bool may_send(NodeId from, NodeId to) const {
        const bool half = machine_.duplex == Duplex::half;
        if (sends_[from] + (half ? receives_[from] : 0) >= machine_.ports_of(from)) return false;
        if (receives_[to] + (half ? sends_[to] : 0) >= machine_.ports_of(to)) return false;
        const auto is_free_for = [&](NodeId v, NodeId other) { return partner_[v] == no_node || partner_[v] == other; };
        if (machine_.pairwise && !(is_free_for(from, to) && is_free_for(to, from))) return false;
        return machine_.links == Duplex::full ||
               std::ranges::none_of(sent_by_[to], [&](std::size_t i) { return messages_[i].to == from; });
    }

    const Machine& machine_;
    std::vector<Port> sends_;
    std::vector<Port> receives_;
    std::vector<NodeId> partner_;  ///< the latest; on a pairwise machine the only one
    std::vector<Message> messages_;
    std::vector<std::vector<std::size_t>> sent_by_;  ///< indices of messages
};

}  // namespace

void add_parcels(std::vector<Parcel>& parcels, const Machine& machine, const Parcel& all) {
    if (machine.combining) return parcels.push_back(all);
    const Progression rows = all.packets.all_rows();
    for (std::uint32_t j = 0; j < rows.count; ++j)
        parcels.push_back({all.from, all.to, block_of({rows[j]}, all.packets.columns())});
}

Schedule along_shortest_paths(const Machine& machine, const std::vector<Parcel>& parcels) {
    using Travellers = std::vector<Travelling>;
    std::vector<Travellers> by_way(1);  // by number of links still to cross
    for (const Parcel& parcel : parcels) {
        Travelling start = at_its_start(*machine.topology, parcel);
        const std::size_t links = start.way.size();
        if (links >= by_way.size()) by_way.resize(links + 1);
        if (links > 0) by_way[links].push_back(std::move(start));
    }
    Schedule plan;
    RoundOfPaths round(machine);
    Travellers moved;
    for (Round number = 1;; ++number) {
        while (!by_way.empty() && by_way.back().empty()) by_way.pop_back();
        if (by_way.empty()) return plan;
        round.restart();
        moved.clear();
        for (Travellers& waiting : std::views::reverse(by_way)) {
            // In the order in which they wait, which a partition of the library need not keep to.
            Travellers stay;
            for (Travelling& parcel : waiting) (round.takes(parcel) ? moved : stay).push_back(std::move(parcel));
            waiting = std::move(stay);
        }
        round.add_to(plan, number);
        for (Travelling& parcel : moved) {
            parcel.at = machine.topology->across(parcel.at, parcel.way.back()).node;
            parcel.way.pop_back();
            if (!parcel.way.empty()) by_way[parcel.way.size()].push_back(std::move(parcel));
        }
    }
}

std::optional<std::string> misfit_shortest_paths(const Machine& machine, const Journeys& journeys) {
    constexpr double links_max = 1 << 22;
    constexpr double looks_max = 1 << 26;  // of parcels, once a round: a second or two
    const auto nodes = static_cast<double>(machine.topology->nodes());
    const bool fits = journeys.links <= links_max && journeys.links / nodes * journeys.parcels <= looks_max;
    return planned_where(fits, "packets cross at most 2^22 links, and 2^26 looks at them do");
}

PlanSize plan_of_shortest_paths(const Journeys& journeys) {
    constexpr double bytes_parcel = 128;
    constexpr double bytes_link = 8;
    return {journeys.links, journeys.links, journeys.parcels * bytes_parcel + journeys.links * bytes_link};
}

ExpectedCost cost_of_shortest_paths() {
    return {std::nullopt,
            std::nullopt,
            std::nullopt,
            std::nullopt,
            {"the schedule is planned on this graph: no closed form is known",
             "packets go along shortest paths: at least as many rounds as the largest distance"}};
}

}  // namespace kport
