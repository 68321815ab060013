#include "tests/stress/stories.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace kport::test {

bool counts_each_use(const Machine& machine) {
    const Port k = machine.ports.k();
    return !machine.has_one_limit() || machine.duplex == Duplex::half || machine.is_exclusive() ||
           machine.noho == Noho::strict || k == 1 || k < machine.topology->max_degree();
}

namespace {

using Packets = std::set<PacketId>;
using Channel = std::pair<NodeId, Port>;

Packets numbers(std::span<const PacketBlock> blocks, NodeId nodes) {
    Packets packets;
    for (const PacketBlock& block : blocks)
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) packets.insert(block.number(j, i, nodes));
    return packets;
}

struct NodeStory {
    Round first_received = 0;
    NodeId first_from = no_node;
    Round first_sent = 0;
    Round last_sent = 0;
    Packets owned;
    Packets received;
    std::map<PacketId, Round> sent;  ///< and in which round first
    std::vector<Packets> values;     ///< of a reduction, as they came

    [[nodiscard]] bool holds(PacketId packet) const { return owned.contains(packet) || received.contains(packet); }
};

class Teller {
  public:
    explicit Teller(const ScheduledGame& game)
        : machine_(game.machine), topology_(*game.machine.topology), collective_(game.collective),
          nodes_(topology_.nodes()), simple_(collective_.one_packet()), stories_(nodes_) {
        for (NodeId v = 0; v < nodes_; ++v) stories_[v].owned = numbers(collective_.owned(v, nodes_).blocks(), nodes_);
        std::map<Round, std::vector<Transfer>> rounds;
        for (std::size_t i = 0; i < game.schedule.size(); ++i)
            rounds[game.schedule.round(i)].push_back(game.schedule.transfer(i));
        for (auto& [round, transfers] : rounds) {
            std::ranges::stable_sort(transfers, [](const Transfer& a, const Transfer& b) {
                if (a.from != b.from) return a.from < b.from;
                if (!std::ranges::equal(a.route, b.route))
                    return std::ranges::lexicographical_compare(a.route, b.route);
                return a.to < b.to;
            });
            if (round > round_ + 1) silence(round_ + 1, round - round_ - 1);
            round_ = round;
            tell_round(transfers);
        }
        for (NodeId v = 0; v < nodes_; ++v) tell_end(v);
        std::sort(told_.violations.begin(), told_.violations.end());
    }

    Stories told() && { return std::move(told_); }

  private:
    Violation& add(Breach breach, NodeId node, NodeId other, Port port, PacketId packet) {
        Violation v;
        v.breach = breach;
        v.round = round_;
        v.node = node;
        v.other = other;
        v.port = port;
        v.packet = packet;
        told_.violations.push_back(v);
        return told_.violations.back();
    }
    Violation& add_at_sender(Breach breach, const Transfer& t) {
        return add(breach, t.from, t.to, t.route.front(), t.packets.front().lowest(nodes_));
    }
    Violation& add_at_receiver(Breach breach, const Transfer& t) {
        return add(breach, t.to, t.from, arrived_by(t), t.packets.front().lowest(nodes_));
    }

    void silence(Round first, Round count) {
        round_ = first;
        add(Breach::silent_round, no_node, no_node, no_port, 0).limit = count;
    }

    /// Where the route ends, and by which port; no_node where it leads nowhere.
    [[nodiscard]] LinkEnd end(const Transfer& t) const {
        LinkEnd at{t.from, no_port};
        for (const Port port : t.route)
            if (at = topology_.across(at.node, port); at.node == no_node) break;
        return at;
    }
    /// The receiver's port of a single link; of one that is not there, of the link that joins the two.
    [[nodiscard]] Port port_of_link(const Transfer& t) const {
        if (t.route.size() != 1) return no_port;
        return end(t).node == t.to ? end(t).port : topology_.port_to(t.to, t.from);
    }
    [[nodiscard]] Port arrived_by(const Transfer& t) const {
        const bool wormhole = machine_.switching == Switching::wormhole;
        if (wormhole && t.route.size() != 1) return end(t).node == t.to ? end(t).port : no_port;
        return port_of_link(t);
    }

    void tell_round(const std::vector<Transfer>& transfers) {
        std::map<NodeId, Port> sends;
        std::map<NodeId, Port> receives;
        RoundMetrics metrics;
        metrics.round = round_;
        for (const Transfer& t : transfers) {
            const Port limit = machine_.sends_of(t.from);
            if (++sends[t.from] > limit && counts_ports())
                add_at_sender(Breach::sends_exceed_ports, t).limit = limit;
            else if (sends[t.from] == limit + 1)
                add(Breach::sends_exceed_ports, t.from, no_node, no_port, 0).limit = limit;
            tell_path(t);
            tell_send(t);
        }
        tell_channels(transfers);
        if (machine_.links == Duplex::half) tell_links(transfers);
        if (machine_.pairwise) tell_partners(transfers);
        for (const Transfer& t : transfers) {
            const Port limit = machine_.receives_of(t.to);
            ++receives[t.to];
            if (counts_ports() && receives[t.to] > limit)
                add_at_receiver(Breach::receives_exceed_ports, t).limit = limit;
            else if (!counts_ports() && receives[t.to] == limit + 1)
                add(Breach::receives_exceed_ports, t.to, no_node, no_port, 0).limit = limit;
            else if (machine_.duplex == Duplex::half && sends[t.to] > 0 && sends[t.to] + receives[t.to] > limit)
                add_at_receiver(Breach::both_exceed_ports, t).limit = limit;
            measure(t, metrics);
            if (!collective_.may_pass_on(t.to, nodes_))
                add(Breach::receives_as_relay, t.to, t.from, port_of_link(t), *numbers(t.packets, nodes_).begin());
            simple_ ? receive_the_packet(t) : receive_packets(t);
        }
        told_.per_round.push_back(metrics);
    }

    [[nodiscard]] bool counts_ports() const { return counts_each_use(machine_); }

    void tell_path(const Transfer& t) {
        if (machine_.switching == Switching::store_and_forward && t.route.size() > 1) {
            add_at_sender(Breach::jumped, t).limit = t.route.size();
        } else if (end(t).node != t.to) {
            add_at_sender(Breach::no_such_link, t);
        } else {
            std::set<NodeId> visited{t.from};
            NodeId at = t.from;
            bool simple = true;
            for (const Port port : t.route)
                simple = visited.insert(at = topology_.across(at, port).node).second && simple;
            if (!simple) add_at_sender(Breach::path_visits_twice, t);
        }
    }

    void tell_channels(const std::vector<Transfer>& transfers) {
        const bool wormhole = machine_.switching == Switching::wormhole;
        std::map<Channel, std::vector<NodeId>> users;
        for (const Transfer& t : transfers) {
            if (wormhole) {
                NodeId at = t.from;
                for (const Port port : t.route) {
                    if (topology_.across(at, port).node == no_node) break;
                    users[{at, port}].push_back(t.from);
                    at = topology_.across(at, port).node;
                }
            } else if (const Port in = port_of_link(t); in != no_port) {
                const LinkEnd sender = topology_.across(t.to, in);
                users[{sender.node, sender.port}].push_back(sender.node);
            }
        }
        for (const auto& [channel, nodes] : users)
            if (nodes.size() > 1)
                add(Breach::channel_twice, channel.first, nodes[1], channel.second, 0).earlier_other = nodes[0];
    }

    /// Whether the contribution stands alone, or came in a value that is all among these.
    [[nodiscard]] bool is_separable(const NodeStory& own, PacketId contribution, const Packets& among) const {
        if (own.owned.contains(contribution) || contribution == nodes_) return true;
        return std::ranges::any_of(own.values, [&](const Packets& value) {
            return value.contains(contribution) && std::ranges::includes(among, value);
        });
    }

    /// For each link that paths cross in both directions, the lowest sender of either direction.
    void tell_links(const std::vector<Transfer>& transfers) {
        std::map<Channel, std::pair<std::set<NodeId>, std::set<NodeId>>> crossed;  // by lower end: from it, towards it
        for (const Transfer& t : transfers) {
            std::vector<LinkEnd> ends{{t.from, no_port}};
            std::set<NodeId> visited{t.from};
            for (const Port port : t.route) {
                ends.back().port = port;
                if (ends.back().node == no_node) break;
                ends.push_back({topology_.across(ends.back().node, port).node, no_port});
                visited.insert(ends.back().node);
            }
            const bool jumps = machine_.switching == Switching::store_and_forward && t.route.size() > 1;
            const bool is_path = !jumps && ends.back().node == t.to && visited.size() == t.route.size() + 1;
            if (!is_path) continue;
            for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
                const LinkEnd end = topology_.across(ends[i].node, ends[i].port);
                if (ends[i].node < end.node)
                    crossed[{ends[i].node, ends[i].port}].first.insert(t.from);
                else
                    crossed[{end.node, end.port}].second.insert(t.from);
            }
        }
        for (const auto& [link, senders] : crossed)
            if (!senders.first.empty() && !senders.second.empty())
                add(Breach::link_both_ways, link.first, *senders.second.begin(), link.second, 0).earlier_other =
                    *senders.first.begin();
    }

    void tell_partners(const std::vector<Transfer>& transfers) {
        std::map<NodeId, std::set<NodeId>> partners;
        for (const Transfer& t : transfers) {
            partners[t.from].insert(t.to);
            partners[t.to].insert(t.from);
        }
        for (const auto& [v, met] : partners) {
            if (met.size() < 2) continue;
            Violation& several = add(Breach::several_partners, v, *std::next(met.begin()), no_port, 0);
            several.earlier_other = *met.begin();
            several.limit = met.size();
        }
    }

    /// What a message of a reduction carries: one value, or in runs one for each run of consecutive contributions.
    [[nodiscard]] std::vector<Packets> values_of(const Transfer& t) const {
        std::vector<Packets> values;
        for (const PacketId packet : numbers(t.packets, nodes_)) {
            const bool follows = !values.empty() && *values.back().rbegin() + 1 == packet;
            if (values.empty() || (collective_.in_runs && !follows)) values.emplace_back();
            values.back().insert(packet);
        }
        return values;
    }

    void tell_send(const Transfer& t) {
        NodeStory& own = stories_[t.from];
        if (own.first_sent == 0) own.first_sent = round_;
        own.last_sent = round_;
        const Packets packets = numbers(t.packets, nodes_);
        if (!collective_.may_pass_on(t.from, nodes_))
            add(Breach::sends_as_relay, t.from, t.to, t.route.front(), *packets.begin());
        for (const PacketId packet : packets) own.sent.try_emplace(packet, round_);
        const bool one = packets.size() == 1 || (collective_.folds() && values_of(t).size() == 1);
        if (!machine_.combining && !one) {
            add_at_sender(Breach::bundled, t).limit = collective_.folds() ? values_of(t).size() : packets.size();
            told_.violations.back().packet = *packets.begin();
        }
        for (const PacketId packet : packets) {
            if (own.holds(packet) || makes_result(own, packet)) continue;
            add(Breach::sent_unheld, t.from, t.to, t.route.front(), packet).limit = simple_ ? 0 : packets.size();
            break;
        }
        if (!collective_.folds()) return;
        for (const PacketId packet : packets) {
            if (!own.holds(packet) || is_separable(own, packet, packets)) continue;
            add(Breach::taken_apart, t.from, t.to, t.route.front(), packet).limit = packets.size();
            return;
        }
    }

    [[nodiscard]] bool makes_result(const NodeStory& own, PacketId packet) const {
        if (!collective_.folds() || packet != nodes_) return false;
        for (NodeId v = 0; v < nodes_; ++v)
            if (!own.holds(v)) return false;
        return true;
    }

    void measure(const Transfer& t, RoundMetrics& metrics) const {
        const std::uint64_t packets = collective_.folds() ? values_of(t).size() : size_of(t.packets);
        const std::uint64_t bytes = packets * collective_.packet_bytes;
        ++metrics.transfers;
        metrics.hops += t.route.size();
        metrics.bytes += bytes;
        metrics.longest_path = std::max(metrics.longest_path, Hops{t.route.size()});
        metrics.largest_bundle = std::max(metrics.largest_bundle, bytes);
        metrics.slowest = std::max(metrics.slowest, machine_.costs.latency(t.route.size(), bytes));
        if (stories_[t.to].first_received == 0 && !(simple_ && t.to == collective_.root)) ++metrics.reached;
    }

    /// In which round the node has sent the packet of a broadcast, as NOHO counts; 0: in none.
    [[nodiscard]] Round round_of_send(const NodeStory& own) const {
        if (machine_.noho == Noho::wide || own.last_sent != round_) return own.last_sent;
        return own.first_sent != round_ ? own.first_sent : 0;
    }

    void receive_the_packet(const Transfer& t) {
        NodeStory& own = stories_[t.to];
        if (own.first_received != 0) {
            Violation& again = add_at_receiver(Breach::received_again, t);
            again.earlier = own.first_received;
            again.earlier_other = own.first_from;
        }
        if (const Round sent = round_of_send(own); sent != 0) add_at_receiver(Breach::received_own, t).earlier = sent;
        note_first(own, t);
        own.received.insert(0);
    }

    void receive_packets(const Transfer& t) {
        NodeStory& own = stories_[t.to];
        Packets again;
        Packets own_again;
        std::ranges::move(values_of(t), std::back_inserter(own.values));
        for (const PacketId packet : numbers(t.packets, nodes_)) {
            if (!own.received.insert(packet).second) again.insert(packet);
            const auto sent = own.sent.find(packet);
            if (sent != own.sent.end() && (machine_.noho == Noho::wide || sent->second < round_))
                own_again.insert(packet);
        }
        if (!again.empty()) add(Breach::received_again, t.to, t.from, port_of_link(t), *again.begin());
        if (!own_again.empty()) add(Breach::received_own, t.to, t.from, port_of_link(t), *own_again.begin());
        note_first(own, t);
    }

    void note_first(NodeStory& own, const Transfer& t) const {
        if (own.first_received != 0) return;
        own.first_received = round_;
        own.first_from = t.from;
    }

    void tell_end(NodeId v) {
        const bool reduces = collective_.folds();
        const Packets promised = numbers(collective_.wanted(v, nodes_).blocks(), nodes_);
        if (reduces && promised.size() == nodes_ && stories_[v].holds(nodes_)) return;
        Packets lacking;
        for (const PacketId packet : promised) {
            const NodeStory& own = stories_[v];
            if (!own.holds(packet) || (reduces && !is_separable(own, packet, promised))) lacking.insert(packet);
        }
        if (lacking.empty()) return;
        const Breach breach = reduces ? Breach::result_lacks : Breach::never_received;
        add(breach, v, no_node, no_port, *lacking.begin()).limit = lacking.size();
    }

    const Machine& machine_;
    const Topology& topology_;
    Collective collective_;
    NodeId nodes_;
    bool simple_;  ///< a broadcast: one packet, reported in full
    Round round_ = 0;
    std::vector<NodeStory> stories_;
    Stories told_;
};

}  // namespace

Stories stories_of(const ScheduledGame& game) { return Teller(game).told(); }

}  // namespace kport::test
