#include "app/umpire/umpire.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <tuple>

namespace kport::umpire {

namespace {

using Channel = std::pair<Number, Number>;  // the node that it leaves, and the port

class Arbiter {
  public:
    Arbiter(const Game& machine, const std::vector<Send>& sends)
        : machine_(machine), sends_(sends), queues_(machine.neighbours.size()), held_(machine.neighbours.size()) {
        result_.moved.assign(sends.size(), none);
        for (const Send& send : sends) result_.routes.push_back(send.route);
        for (Number i = 0; i < sends.size(); ++i) queues_[sends[i].from].push_back(i);
    }

    Arbitration arbitrate(const std::function<bool()>& stops) {
        for (round_ = next_round(); round_ != none; round_ = next_round()) {
            if (stops && stops()) return {};
            for (Number v = 0; v < queues_.size(); ++v) start(v);
            compete();
        }
        return std::move(result_);
    }

  private:
    struct Claim {
        Number since;
        Number send;
    };
    /// Resources taken in this round.
    struct Taken {
        std::map<Channel, std::vector<Number>> channels;  // with the senders
        std::map<Channel, std::vector<Number>> links;     // by their lower channel: both directions
        std::map<Number, std::vector<Number>> passages;   // by switch: the senders
        // by node: the senders that use ports that count against its receives
        std::map<Number, std::vector<Number>> users;
        std::map<Number, Number> partners;  // by node
    };

    /// Returns the next round in which anything may happen; none if nothing will.
    [[nodiscard]] Number next_round() const {
        if (!claims_.empty()) return round_ + 1;
        Number next = none;
        for (const auto& queue : queues_)
            if (!queue.empty()) next = std::min(next, std::max(sends_[queue.front()].asked, round_ + 1));
        return next;
    }

    [[nodiscard]] Number most_sent(Number v) const {
        return std::min(machine_.width(v), machine_.limits.empty() ? machine_.sends : machine_.limits[v].first);
    }
    [[nodiscard]] Number most_received(Number v) const {
        return std::min(machine_.width(v), machine_.limits.empty() ? machine_.receives : machine_.limits[v].second);
    }
    /// Whether a port starts one message a round: not through switches and over trunks, whose channels count for themselves.
    [[nodiscard]] bool ports_are_single() const { return machine_.switches == 0 && machine_.capacities.empty(); }

    /// "A node starts at most S sends in a round, in the order in which its program asks for them; the rest wait for later
    /// rounds." "A claim that loses keeps its send port busy." A port starts one message a round. On a pairwise machine all
    /// go to one partner.
    void start(Number v) {
        std::set<Number> by;
        Number started = 0;
        Number partner = none;
        for (; !queues_[v].empty(); queues_[v].pop_front()) {
            const Send& send = sends_[queues_[v].front()];
            if (send.asked > round_) return;
            const bool meets_another = machine_.pairwise && partner != none && partner != send.to;
            const bool is_taken = ports_are_single() && !send.route.empty() && by.contains(send.route.front());
            const bool fits = held_[v] + started < most_sent(v) && !is_taken && !meets_another;
            if (!fits) {
                if (send.declaration != none && send.asked == round_)
                    result_.waits[{round_, v}].push_back(meets_another ? partner : none);
                return;
            }
            if (!send.route.empty()) by.insert(send.route.front());
            ++started;
            partner = send.to;
            claims_.push_back({round_, queues_[v].front()});
        }
    }

    /// "The claim that has waited since the earliest round, then the lower sender id, then the lower port." What has no route
    /// yet has no port, and goes before the others of its sender.
    void compete() {
        std::ranges::stable_sort(claims_, {}, [&](const Claim& claim) {
            const Send& send = sends_[claim.send];
            return std::tuple(claim.since, send.from, send.route.empty() ? 0 : send.route.front(), send.to);
        });
        Taken taken;
        std::vector<Claim> waiting;
        std::ranges::fill(held_, 0);
        for (const Claim& claim : claims_) {
            Send send = sends_[claim.send];
            if (send.route.empty()) send.route = chosen_route(send, taken);
            const std::optional<Number> winner = in_the_way(send, taken);
            if (!winner) {
                take(send, taken);
                result_.moved[claim.send] = round_;
                result_.routes[claim.send] = send.route;
                continue;
            }
            if (claim.since == round_) result_.waits[{round_, send.from}].push_back(*winner);
            waiting.push_back(claim);
            ++held_[send.from];
        }
        claims_ = std::move(waiting);
    }

    /// "A receiver takes at most R messages in a round, and with half duplex ports its sends and receives together are at
    /// most k; a path is granted only if no channel of it is taken in this round", by as many messages as it carries. A half
    /// duplex link carries one direction, a trunk its capacity both ways; a switch passes no more than its limit; a node of a
    /// pairwise machine has one partner. Returns the first sender, or partner, that is in the way: at the
    /// ports of the sender, of the receiver, as their partner, then along the path. Nothing: the message goes.
    [[nodiscard]] std::optional<Number> in_the_way(const Send& send, Taken& taken) const {
        if (machine_.half_duplex && taken.users[send.from].size() >= most_sent(send.from))
            return taken.users[send.from].front();
        if (taken.users[send.to].size() >= most_received(send.to)) return taken.users[send.to].front();
        if (machine_.pairwise)
            for (const auto& [v, partner] : {std::pair(send.from, send.to), std::pair(send.to, send.from)})
                if (const auto met = taken.partners.find(v); met != taken.partners.end() && met->second != partner)
                    return met->second;
        for (const Channel& channel : path(send))
            if (const Number owner = in_the_way(channel, taken); owner != none) return owner;
        return std::nullopt;
    }

    /// Returns the sender of the first message that leaves a channel no room; none if there is room.
    [[nodiscard]] Number in_the_way(const Channel& channel, const Taken& taken) const {
        const auto first_of_full = [](const auto& users, const auto& key, Number most) {
            const auto found = users.find(key);
            return found != users.end() && found->second.size() >= most ? found->second.front() : none;
        };
        const Number capacity = machine_.capacity(channel.first, channel.second);
        if (const Number first = first_of_full(taken.passages, channel.first, machine_.switch_limit); first != none)
            return first;
        if (const Number first = first_of_full(taken.channels, channel, capacity); first != none) return first;
        return machine_.half_duplex_links ? first_of_full(taken.links, link_of(channel), capacity) : none;
    }

    void take(const Send& send, Taken& taken) const {
        taken.users[send.to].push_back(send.from);
        if (machine_.half_duplex) taken.users[send.from].push_back(send.from);
        taken.partners[send.from] = send.to;
        taken.partners[send.to] = send.from;
        for (const Channel& channel : path(send)) {
            taken.channels[channel].push_back(send.from);
            taken.links[link_of(channel)].push_back(send.from);
            if (machine_.is_switch(channel.first)) taken.passages[channel.first].push_back(send.from);
        }
    }

    /// "Among the shortest routes the first, in the order of ports, all of whose channels are free." The first of all where no
    /// route is free.
    [[nodiscard]] std::vector<Number> chosen_route(const Send& send, const Taken& taken) const {
        const std::vector<Number> left = links_to(send.to);
        std::vector<Number> first;
        std::vector<Number> free;
        for (const bool must_be_free : {false, true}) {
            std::vector<Number>& route = must_be_free ? free : first;
            std::set<Number> dead;
            (void)extend(send.from, send.to, left, must_be_free ? &taken : nullptr, dead, route);
        }
        return free.empty() ? first : free;
    }
    /// Returns the links that a message which is there needs to the host; `none` where it cannot come.
    [[nodiscard]] std::vector<Number> links_to(Number to) const {
        std::vector<Number> links(machine_.neighbours.size(), none);
        std::deque<Number> open{to};
        links[to] = 0;
        for (; !open.empty(); open.pop_front()) {
            const Number at = open.front();
            if (at != to && !machine_.wormhole && !machine_.is_switch(at)) continue;  // a host that it does not pass
            for (const Number next : machine_.neighbours[at]) {
                if (next == none || links[next] != none) continue;
                links[next] = links[at] + 1;
                open.push_back(next);
            }
        }
        return links;
    }
    /// Extends a route from a node to its end by ports in their order; `taken`: over free channels only.
    [[nodiscard]] bool extend(Number at, Number to, const std::vector<Number>& left, const Taken* taken,
                              std::set<Number>& dead, std::vector<Number>& route) const {
        if (at == to) return true;
        for (Number port = 0; port < machine_.neighbours[at].size(); ++port) {
            const Number next = machine_.neighbours[at][port];
            const bool passes = next == to || machine_.wormhole || (next != none && machine_.is_switch(next));
            if (next == none || !passes || left[next] + 1 != left[at] || dead.contains(next)) continue;
            if (taken != nullptr && in_the_way(Channel(at, port), *taken) != none) continue;
            route.push_back(port);
            if (extend(next, to, left, taken, dead, route)) return true;
            route.pop_back();
        }
        dead.insert(at);
        return false;
    }

    [[nodiscard]] std::vector<Channel> path(const Send& send) const {
        std::vector<Channel> channels;
        Number at = send.from;
        for (const Number port : send.route) {
            channels.emplace_back(at, port);
            at = machine_.neighbours[at][port];
        }
        return channels;
    }
    /// Returns the lower one of a link's two channels.
    [[nodiscard]] Channel link_of(const Channel& channel) const {
        const Number end = machine_.neighbours[channel.first][channel.second];
        const auto& back = machine_.neighbours[end];
        return std::min(channel, {end, static_cast<Number>(std::ranges::find(back, channel.first) - back.begin())});
    }

    const Game& machine_;
    const std::vector<Send>& sends_;
    Number round_ = 0;
    std::vector<std::deque<Number>> queues_;  // by node: sends not yet started
    std::vector<Number> held_;                // by node: its waiting claims
    std::vector<Claim> claims_;
    Arbitration result_;
};

}  // namespace

Arbitration arbitrate(const Game& machine, const std::vector<Send>& sends, const std::function<bool()>& stops) {
    return Arbiter(machine, sends).arbitrate(stops);
}

}  // namespace kport::umpire
