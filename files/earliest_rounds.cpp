#include "files/earliest_rounds.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <boost/container_hash/hash.hpp>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// What is taken of a machine, by round: ports of nodes, channels, and whom a node of a pairwise machine talks with.
class Occupation {
  public:
    explicit Occupation(const Machine& machine) : machine_(machine) {}

    /// The first round from `round` on in which the message may go.
    [[nodiscard]] Round first_free(const LooseMessage& message, Round round) {
        for (;;) {
            const Round least =
                std::max(after_full(sends_full_, message.from, round), after_full(receives_full_, message.to, round));
            if (least == round && is_free(message, round)) return round;
            round = std::max(least, round + 1);
        }
    }

    void take(const LooseMessage& message, Round round) {
        Use& sender = uses_[{message.from, round}];
        Use& receiver = uses_[{message.to, round}];
        ++sender.sends;
        sender.partner = message.to;
        ++receiver.receives;
        receiver.partner = message.from;
        if (is_full(sender.sends, sender.receives, message.from)) sends_full_[message.from][round] = round + 1;
        if (is_full(receiver.receives, receiver.sends, message.to)) receives_full_[message.to][round] = round + 1;
        for_each_channel(message, [&](std::uint64_t channel) { channels_[{channel, round}] = true; });
    }

  private:
    using InRound = std::pair<std::uint64_t, Round>;
    struct Use {
        Port sends = 0;
        Port receives = 0;
        NodeId partner = no_node;
    };
    /// Of a node: of each full round one that may have room, with paths made shorter as they are followed.
    using Full = std::unordered_map<NodeId, std::unordered_map<Round, Round>>;

    [[nodiscard]] static Round after_full(Full& full, NodeId v, Round round) {
        const auto of_node = full.find(v);
        if (of_node == full.end()) return round;
        Round end = round;
        for (auto next = of_node->second.find(end); next != of_node->second.end(); next = of_node->second.find(end))
            end = next->second;
        for (Round at = round; at < end;) at = std::exchange(of_node->second[at], end);
        return end;
    }

    [[nodiscard]] bool is_full(Port same, Port other, NodeId v) const {
        const Port limit = machine_.pairwise ? 1 : machine_.ports_of(v);
        return std::uint64_t{same} + (machine_.duplex == Duplex::half ? other : 0) >= limit;
    }

    [[nodiscard]] bool is_free(const LooseMessage& message, Round round) const {
        const auto use_of = [&](NodeId v) {
            const auto found = uses_.find({v, round});
            return found == uses_.end() ? Use{} : found->second;
        };
        const Use sender = use_of(message.from);
        const Use receiver = use_of(message.to);
        if (is_full(sender.sends, sender.receives, message.from) ||
            is_full(receiver.receives, receiver.sends, message.to))
            return false;
        const auto talks_with_another = [](const Use& use, NodeId partner) {
            return use.partner != no_node && use.partner != partner;
        };
        if (machine_.pairwise && (talks_with_another(sender, message.to) || talks_with_another(receiver, message.from)))
            return false;
        bool free = true;
        for_each_channel(message, [&](std::uint64_t channel) { free = free && !channels_.contains({channel, round}); });
        return free;
    }

    /// Half duplex links are one channel, named by its lower end.
    template <class Use>
    void for_each_channel(const LooseMessage& message, const Use& use) const {
        const Topology& topology = *machine_.topology;
        NodeId at = message.from;
        for (const Port port : message.route) {
            const LinkEnd end = topology.across(at, port);
            const bool lower = machine_.links == Duplex::half && end.node < at;
            use(lower ? end.node * topology.ports() + end.port : at * topology.ports() + port);
            at = end.node;
        }
    }

    const Machine& machine_;
    std::unordered_map<InRound, Use, boost::hash<InRound>> uses_;
    std::unordered_map<InRound, bool, boost::hash<InRound>> channels_;
    Full sends_full_;
    Full receives_full_;
};

}  // namespace

std::vector<Round> earliest_rounds(const std::vector<LooseMessage>& messages, const Machine& machine) {
    using Ready = std::pair<Round, std::uint32_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    std::vector<std::vector<std::uint32_t>> followers(messages.size());
    std::vector<std::size_t> missing(messages.size());
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        missing[i] = messages[i].after.size();
        for (const std::uint32_t before : messages[i].after) followers[before].push_back(i);
        if (missing[i] == 0) ready.emplace(1, i);
    }
    Occupation occupation(machine);
    std::vector<Round> rounds(messages.size(), 0);
    std::vector<Round> least(messages.size(), 1);
    while (!ready.empty()) {
        const auto [from_round, i] = ready.top();
        ready.pop();
        rounds[i] = occupation.first_free(messages[i], from_round);
        occupation.take(messages[i], rounds[i]);
        for (const std::uint32_t next : followers[i]) {
            least[next] = std::max(least[next], rounds[i] + 1);
            if (--missing[next] == 0) ready.emplace(least[next], next);
        }
    }
    const auto stuck = std::ranges::find(rounds, Round{0});
    if (stuck != rounds.end()) {
        const LooseMessage& message = messages[static_cast<std::size_t>(stuck - rounds.begin())];
        throw RequestError(
            fmt::format("the message from node {} to node {} never goes: what it comes after waits in a circle",
                        message.from, message.to));
    }
    return rounds;
}

}  // namespace kport
