#include "app/umpire/umpire.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace kport::umpire {

bool is_reduction(Operation operation) {
    return operation == Operation::reduce || operation == Operation::allreduce || operation == Operation::scan ||
           operation == Operation::exscan || operation == Operation::reduce_scatter ||
           operation == Operation::own_folds;
}

Number Game::width(Number v) const {
    Number sum = 0;
    for (Number port = 0; port < neighbours[v].size(); ++port)
        if (neighbours[v][port] != none) sum += capacity(v, port);
    return sum;
}

namespace {

using Numbers = std::set<Number>;
using Channel = std::pair<Number, Number>;  // the node that it leaves, and the port

/// Returns the stride of packet and contribution numbers (umpire.hpp).
Number width(const Game& game) { return game.hosts() + (is_reduction(game.operation) ? 1 : 0); }

/// Whether owners and takers are listed.
bool says_itself(const Game& game) {
    return game.operation == Operation::own || game.operation == Operation::own_folds;
}

/// Returns how many packets there are of each, or segments.
Number of_each(const Game& game) {
    return game.packets_each * (game.operation == Operation::reduce_scatter ? game.hosts() : 1);
}

/// Whether a packet is one of so many as there are of its node, pair or block.
bool is_there(const Game& game, Number packet) {
    if (game.counts.empty()) return true;
    const Number row = packet / width(game);
    const Number column = packet % width(game);
    const Number nodes = game.hosts();
    switch (game.operation) {
        case Operation::alltoall: {
            const Number from = row / game.packets_each;
            return from != column && row % game.packets_each < game.counts[from * nodes + column];
        }
        case Operation::reduce_scatter: return row % game.packets_each < game.counts[row / game.packets_each];
        case Operation::own_folds: return true;
        default: return row < game.counts[column];
    }
}

Numbers there_are(const Game& game, Numbers packets) {
    std::erase_if(packets, [&](Number packet) { return !is_there(game, packet); });
    return packets;
}

/// Returns the packets of a node before the first round.
Numbers owned(const Game& game, Number v) {
    const Number nodes = game.hosts();
    if (says_itself(game)) return game.owned[v];
    Numbers packets;
    for (Number j = 0; j < of_each(game); ++j) switch (game.operation) {
            case Operation::broadcast:
                if (v == game.source) packets.insert(j);
                break;
            case Operation::scatter:
                if (v == game.source)
                    for (Number w = 0; w < nodes; ++w) packets.insert(j * nodes + w);
                break;
            case Operation::alltoall:
                for (Number w = 0; w < nodes; ++w) packets.insert((v * game.packets_each + j) * nodes + w);
                break;
            default: packets.insert(j * width(game) + v);
        }
    return there_are(game, std::move(packets));
}

/// Adds the packets that it must hold after the last round, those for or from node w, with number j.
void promise(const Game& game, Number v, Number w, Number j, Numbers& packets) {
    switch (game.operation) {
        case Operation::broadcast: packets.insert(j); break;
        case Operation::scatter: packets.insert(j * width(game) + v); break;
        case Operation::gather:
        case Operation::reduce:
            if (v == game.source) packets.insert(j * width(game) + w);
            break;
        case Operation::reduce_scatter:
            if (j / game.packets_each == v) packets.insert(j * width(game) + w);
            break;
        case Operation::allreduce:
        case Operation::barrier:
        case Operation::allgather: packets.insert(j * width(game) + w); break;
        case Operation::scan:
            if (w <= v) packets.insert(j * width(game) + w);
            break;
        case Operation::exscan:
            if (w < v) packets.insert(j * width(game) + w);
            break;
        case Operation::alltoall: packets.insert((w * game.packets_each + j) * game.hosts() + v); break;
        case Operation::own:
        case Operation::own_folds: break;
    }
}

Numbers promised(const Game& game, Number v) {
    if (says_itself(game)) return game.wanted[v];
    Numbers packets;
    for (Number w = 0; w < game.hosts(); ++w)
        for (Number j = 0; j < of_each(game); ++j) promise(game, v, w, j, packets);
    return there_are(game, std::move(packets));
}

class Umpire {
  public:
    explicit Umpire(const Game& game)
        : game_(game), nodes_(game.hosts()), held_(nodes_), sent_(nodes_), sent_now_(nodes_), received_(nodes_),
          values_(nodes_), made_(nodes_) {
        for (Number v = 0; v < nodes_; ++v) {
            held_[v] = owned(game, v);
        }
    }

    Opinion judge(const std::function<bool()>& stops) {
        std::map<Number, std::vector<const Message*>> rounds;
        for (const Message& message : game_.messages)
            // "A switch as an end of a transfer is a broken rule": nothing moves.
            if (game_.is_switch(message.from) || game_.is_switch(message.to))
                opinion_.findings.insert({Rule::end, message.round, message.from, none});
            else
                rounds[message.round].push_back(&message);
        for (const auto& [round, messages] : rounds) {
            if (stops && stops()) return {};
            while (++round_ < round)
                if (!game_.silent.contains(round_)) found(Rule::idle_round, none, none);
            play(messages);
        }
        opinion_.rounds = round_;
        for (Number v = 0; v < nodes_; ++v) {
            if (stops && stops()) return {};
            deliver(v);
        }
        return std::move(opinion_);
    }

  private:
    void found(Rule rule, Number node, Number packet) { opinion_.findings.insert({rule, round_, node, packet}); }

    void play(const std::vector<const Message*>& messages) {
        std::map<Number, Number> sends;
        std::map<Number, Number> receives;
        std::map<Channel, Number> uses;
        std::map<Number, Number> passages;  // by switch
        std::map<Number, Numbers> partners;
        for (const Message* message : messages) {
            const std::vector<Channel> channels = path(*message);
            if (channels.empty()) found(Rule::path, message->from, none);
            for (const Channel& channel : channels) {
                ++uses[channel];
                if (game_.is_switch(channel.first)) ++passages[channel.first];
            }
            for (const Number v : {message->from, message->to})
                if (!may_pass_on(v)) found(Rule::relay, v, none);
            ++sends[message->from];
            ++receives[message->to];
            partners[message->from].insert(message->to);
            partners[message->to].insert(message->from);
        }
        for (const auto& [channel, times] : uses)
            if (times > game_.capacity(channel.first, channel.second)) found(Rule::channel, channel.first, none);
        for (const auto& [v, times] : passages)
            if (times > game_.switch_limit) found(Rule::channel, v, none);
        if (game_.half_duplex_links)
            for (const auto& [channel, times] : uses) judge_link(channel, times, uses);
        for (Number v = 0; v < nodes_; ++v) count_ports(v, sends[v], receives[v]);
        if (game_.pairwise)
            for (const auto& [v, met] : partners)
                if (met.size() > 1) found(Rule::partners, v, none);

        // All messages of a round move at once: first all nodes send from their holdings before it, then all receive.
        for (const Message* message : messages) send(*message);
        for (const Message* message : messages) receive(*message);
        for (Number v = 0; v < nodes_; ++v) sent_[v].merge(sent_now_[v]);
        charge(messages);
    }

    /// "A promise in a file may say that a node that owns and wants nothing sends and receives nothing".
    [[nodiscard]] bool may_pass_on(Number v) const {
        return game_.passes_on.empty() || game_.passes_on[v] || !game_.owned[v].empty() || !game_.wanted[v].empty();
    }

    /// "Along a simple path"; store-and-forward: "every inner node is a switch", so exactly one link where there are none. An
    /// invalid route uses no channel.
    [[nodiscard]] std::vector<Channel> path(const Message& message) const {
        std::vector<Channel> channels;
        Numbers visited{message.from};
        Number at = message.from;
        for (const Number port : message.route) {
            const bool may_pass = game_.wormhole || game_.is_switch(at) || channels.empty();
            channels.emplace_back(at, port);
            at = port < game_.neighbours[at].size() ? game_.neighbours[at][port] : none;
            if (!may_pass || at == none || !visited.insert(at).second) return {};
        }
        if (at != message.to) channels.clear();
        return channels;
    }

    /// "A link carries one direction per round"; one of capacity c "c messages in all".
    void judge_link(const Channel& channel, Number times, const std::map<Channel, Number>& uses) {
        const auto [v, port] = channel;
        const Number w = game_.neighbours[v][port];
        for (Number back = 0; v < w && back < game_.neighbours[w].size(); ++back) {
            const auto opposite = game_.neighbours[w][back] == v ? uses.find({w, back}) : uses.end();
            if (opposite != uses.end() && times + opposite->second > game_.capacity(v, port))
                found(Rule::link, v, none);
        }
    }

    /// "At most S sends and at most R receives"; half duplex: "sends + receives <= k". All ports: the degree, "the sum of the
    /// capacities of the host's links".
    void count_ports(Number v, Number sends, Number receives) {
        const Number width = game_.width(v);
        const auto [of_sends, of_receives] =
            game_.limits.empty() ? std::pair(game_.sends, game_.receives) : game_.limits[v];
        const Number most_sent = std::min(of_sends, width);
        const Number most_received = std::min(of_receives, width);
        const bool kept =
            game_.half_duplex ? sends + receives <= most_sent : sends <= most_sent && receives <= most_received;
        if (!kept) found(Rule::ports, v, none);
    }

    void send(const Message& message) {
        const Number from = message.from;
        const bool signals = game_.operation == Operation::barrier;
        if (!game_.combining && !signals && size_of(message) != 1) found(Rule::combining, from, none);
        for (const Number packet : message.packets) {
            if (!holds(from, packet)) found(Rule::holding, from, packet);
            (game_.strict_noho ? sent_now_ : sent_)[from].insert(packet);
        }
        if (!is_reduction(game_.operation)) return;
        for (const Number part : inseparable(from, {message.packets.begin(), message.packets.end()}))
            found(Rule::parting, from, part);
        if (game_.operation != Operation::own_folds) return;
        for (const Numbers& value : values_of(message)) {
            const Number first = *value.begin();
            if (!is_result(first)) {
                judge_order(from, value);
            } else if (made_[from].contains(first) || (!held_[from].contains(first) && holds(from, first))) {
                made_[from].insert(first);
                judge_order(from, contributions_to(segment_of(first)));
            }
        }
    }

    /// "in order: neighbours in that list alone are folded": a value whose contributions are all in some list that is taken in order must
    /// be neighbours in one of these, and so must its parts be in it.
    void judge_order(Number from, const Numbers& value) {
        bool has_list = false;
        bool are_neighbours = false;
        for (Number v = 0; v < nodes_; ++v) {
            if (!game_.in_order[v].contains(segment_of(*value.begin()))) continue;
            const Numbers list = taken(v, segment_of(*value.begin()));
            if (!std::ranges::includes(list, value)) continue;
            has_list = true;
            are_neighbours = are_neighbours || stand_together(value, list);
        }
        if (!has_list || value.size() < 2) return;
        for (const Number part : are_neighbours ? astray(from, value) : value) found(Rule::order, from, part);
    }
    /// Returns what node v takes of a segment.
    [[nodiscard]] Numbers taken(Number v, Number segment) const {
        Numbers list = game_.wanted[v];
        std::erase_if(list, [&](Number contribution) { return segment_of(contribution) != segment; });
        return list;
    }
    /// Whether no other of the list lies between some of it.
    [[nodiscard]] static bool stand_together(const Numbers& some, const Numbers& list) {
        return std::ranges::equal(some, Numbers(list.lower_bound(*some.begin()), list.upper_bound(*some.rbegin())));
    }
    /// Returns those contributions that v has for a value, but only in parts that do not stand together in it.
    [[nodiscard]] Numbers astray(Number v, const Numbers& value) const {
        Numbers parts = inseparable(v, value, [&](const Numbers& part) { return stand_together(part, value); });
        for (const Number part : inseparable(v, value)) parts.erase(part);
        return parts;
    }

    [[nodiscard]] Number segment_of(Number contribution) const { return contribution / (nodes_ + 1); }
    [[nodiscard]] bool is_result(Number contribution) const { return contribution % (nodes_ + 1) == nodes_; }
    /// Returns the values of a message, each of a segment. In runs a value sums up consecutive nodes, unfolded one node: one begins at
    /// each contribution whose predecessor in the segment is not in the message.
    [[nodiscard]] std::vector<Numbers> values_of(const Message& message) const {
        const Numbers all(message.packets.begin(), message.packets.end());
        std::vector<Numbers> values;
        Number last = none;
        for (const Number packet : all) {
            const bool same_segment = last != none && segment_of(last) == segment_of(packet);
            if (!same_segment || (game_.in_runs && (game_.unfolded || last + 1 != packet))) values.emplace_back();
            values.back().insert(packet);
            last = packet;
        }
        return values;
    }
    /// "A partial result has the size of one packet whatever it sums".
    [[nodiscard]] Number size_of(const Message& message) const {
        return is_reduction(game_.operation) ? values_of(message).size() : message.packets.size();
    }
    /// Returns the sum of its packets' bytes; of a reduction of its values', which are as large as their segment.
    [[nodiscard]] Number bytes_of(const Message& message) const {
        if (game_.sizes.empty()) return size_of(message) * game_.packet_bytes;
        Number bytes = 0;
        if (is_reduction(game_.operation)) {
            for (const Numbers& value : values_of(message)) bytes += game_.sizes[segment_of(*value.begin())];
            return bytes;
        }
        for (const Number packet : message.packets)
            bytes += game_.sizes[game_.operation == Operation::alltoall ? packet : packet % nodes_];
        return bytes;
    }
    /// Returns all contributions to a segment.
    [[nodiscard]] Numbers contributions_to(Number segment) const {
        Numbers all;
        if (game_.operation == Operation::own_folds) {
            for (Number v = 0; v < nodes_; ++v) {
                const Numbers one = taken(v, segment);
                if (!all.empty() && !one.empty() && one != all) return {};
                if (!one.empty()) all = one;
            }
            return all;
        }
        for (Number w = 0; w < nodes_; ++w) all.insert(segment * (nodes_ + 1) + w);
        return all;
    }

    /// "What was folded cannot be taken apart": returns those contributions that v holds only in values received with
    /// others that are not among them.
    [[nodiscard]] Numbers inseparable(Number v, const Numbers& contributions) const {
        return inseparable(v, contributions, [](const Numbers&) { return true; });
    }
    template <class IsPart>
    [[nodiscard]] Numbers inseparable(Number v, const Numbers& contributions, const IsPart& is_part) const {
        Numbers parts;
        std::ranges::set_intersection(contributions, held_[v], std::inserter(parts, parts.end()));
        std::erase_if(parts, [&](Number part) {  // the result is a packet of its own
            return is_result(part) || part % (nodes_ + 1) == v;
        });
        for (const Numbers& value : values_[v])
            if (std::ranges::includes(contributions, value) && is_part(value))
                for (const Number contribution : value) parts.erase(contribution);
        return parts;
    }

    /// A message can be used from the next round on, so it is added after all sends of this round have been checked.
    void receive(const Message& message) {
        const Number to = message.to;
        if (is_reduction(game_.operation))
            for (Numbers& value : values_of(message)) values_[to].push_back(std::move(value));
        for (const Number packet : message.packets) {
            const bool is_void = game_.operation == Operation::barrier;
            if (!received_[to].insert(packet).second && !is_void) found(Rule::nodup, to, packet);
            if (sent_[to].contains(packet) && !is_void)
                found(Rule::noho, to, packet);  // wide: this round's sends are included
            held_[to].insert(packet);
        }
    }

    /// Whether v holds it: its own and received packets, and the result of a reduction if every contribution has come.
    [[nodiscard]] bool holds(Number v, Number packet) const {
        if (held_[v].contains(packet)) return true;
        if (!is_reduction(game_.operation) || !is_result(packet)) return false;
        const Numbers all = contributions_to(segment_of(packet));
        if (!lacks(v, all).empty()) return false;
        return game_.operation != Operation::own_folds || (!all.empty() && inseparable(v, all).empty());
    }

    [[nodiscard]] Numbers lacks(Number v, const Numbers& packets) const {
        Numbers lacking;
        std::ranges::set_difference(packets, held_[v], std::inserter(lacking, lacking.end()));
        return lacking;
    }

    void charge(const std::vector<const Message*>& messages) {
        Number longest = 0;
        Number largest = 0;
        double slowest = 0;
        for (const Message* message : messages) {
            const Number length = message->route.size();
            const Number bytes = bytes_of(*message);
            opinion_.work += length;
            longest = std::max(longest, length);
            largest = std::max(largest, bytes);
            slowest = std::max(slowest, duration_of(*message, bytes));
        }
        opinion_.path_sum += longest;
        opinion_.volume += largest;
        opinion_.latency += slowest;
    }

    /// "ts + td * (sum of d) + tm * bytes * (max of b)" over the links of its path; links that are not there have d = b = 1.
    [[nodiscard]] double duration_of(const Message& message, Number bytes) const {
        double sum = 0;
        double largest = 0;
        Number at = message.from;
        for (const Number port : message.route) {
            const bool is_link = at != none && port < game_.neighbours[at].size();
            const std::pair<double, double> link =
                is_link && !game_.prices.empty() ? game_.prices[at][port] : std::pair(1.0, 1.0);
            sum += link.first;
            largest = std::max(largest, link.second);
            at = is_link ? game_.neighbours[at][port] : none;
        }
        return game_.startup + sum * game_.hop + static_cast<double>(bytes) * largest * game_.byte;
    }

    /// "At the end every node must hold exactly what the operation promises." The result has all contributions in it.
    void deliver(Number v) {
        Numbers wanted = promised(game_, v);
        if (is_reduction(game_.operation))
            std::erase_if(wanted, [&](Number contribution) {
                const Number segment = segment_of(contribution);
                const Numbers all = contributions_to(segment);
                return held_[v].contains(segment * (nodes_ + 1) + nodes_) && !all.empty() &&
                       std::ranges::includes(promised(game_, v), all);
            });
        Numbers lacking = lacks(v, wanted);
        if (is_reduction(game_.operation)) lacking.merge(inseparable(v, wanted));
        if (game_.operation == Operation::own_folds)
            for (const Number segment : game_.in_order[v])
                if (const Numbers list = taken(v, segment); std::ranges::includes(wanted, list))
                    lacking.merge(astray(v, list));
        for (const Number packet : lacking) {
            found(Rule::delivery, v, packet);
            opinion_.undelivered.insert({v, packet});
        }
    }

    const Game& game_;
    Number nodes_;
    Number round_ = 0;
    std::vector<Numbers> held_;
    std::vector<Numbers> sent_;
    std::vector<Numbers> sent_now_;  ///< strict NOHO: in this round
    std::vector<Numbers> received_;
    std::vector<std::vector<Numbers>> values_;  ///< every value received, by node
    std::vector<Numbers> made_;                 ///< results that it made itself and sent, by node
    Opinion opinion_;
};

}  // namespace

Opinion judge(const Game& game, const std::function<bool()>& stops) { return Umpire(game).judge(stops); }

}  // namespace kport::umpire
