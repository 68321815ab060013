/// @file reference.hpp   A second, plain implementation of the queue policy of model.md section 8: the oracle for
///                       programs that compete.
///
/// Source   model.md sections 1 and 8; nothing of it is taken from the engine.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/traces.hpp"

namespace kport::test {

/// What a scripted program does next.
struct Act {
    enum class Kind : std::uint8_t {
        send,        ///< by port, or (wormhole) to a node along a route
        receive,     ///< by any port
        receive_by,  ///< by port
        next_round
    };
    Kind kind;
    Port port = no_port;
    NodeId to = no_node;
    std::vector<Port> route = {};
};
using Script = std::vector<Act>;

inline Program follow(Node& self, const Script& script) {
    for (const Act& act : script) {
        if (act.kind == Act::Kind::next_round)
            co_await self.next_round();
        else if (act.kind == Act::Kind::receive)
            co_await self.receive();
        else if (act.kind == Act::Kind::receive_by)
            co_await self.receive(act.port);
        else if (act.to != no_node)
            co_await self.send_along(act.to, act.route, Packet(0));
        else
            co_await self.send(act.port, Packet(0));
    }
}

/// Runs scripts round by round; every node starts in round 1.
class Reference {
  public:
    Reference(const Machine& machine, const std::vector<Script>& scripts)
        : machine_(machine), topology_(*machine.topology), scripts_(scripts), nodes_(scripts.size()) {}

    /// The transfers of all rounds, as test::text(Schedule) shows them.
    std::string moves() {
        for (Round round = 1;; ++round) {
            const bool anybody_runs = resume_all(round);
            if (!anybody_runs && claims_.empty()) return moves_;
            grant(round);
        }
    }
    /// Messages that were ever sent, and nodes that did not come to the end of their script.
    [[nodiscard]] std::size_t sends() const { return sends_; }
    [[nodiscard]] std::size_t unfinished() const {
        std::size_t count = 0;
        for (std::size_t v = 0; v < nodes_.size(); ++v) count += nodes_[v].next < scripts_[v].size() ? 1 : 0;
        return count;
    }

  private:
    struct Claim {
        Round since;
        NodeId from;
        std::vector<Port> route;
        NodeId to;
        Port in;
        [[nodiscard]] auto order() const { return std::tuple(since, from, route.front()); }
    };
    struct State {
        std::size_t next = 0;  ///< act of the script
        Round asleep_until = 0;
        std::size_t held = 0;  ///< claims that have lost
        std::multiset<std::tuple<Round, NodeId, Port>> inbox;
    };

    /// True if some node can act in this round or will act in a later one by itself.
    bool resume_all(Round round) {
        bool any = false;
        for (NodeId v = 0; v < nodes_.size(); ++v) any |= resume(v, round);
        return any;
    }

    bool resume(NodeId v, Round round) {
        State& node = nodes_[v];
        std::size_t sends = 0;
        std::set<Port> used;
        for (; node.next < scripts_[v].size(); ++node.next) {
            const Act& act = scripts_[v][node.next];
            switch (act.kind) {
                case Act::Kind::next_round:
                    if (node.asleep_until == 0) node.asleep_until = round + 1;
                    if (node.asleep_until > round) return true;
                    node.asleep_until = 0;
                    break;
                case Act::Kind::receive:
                case Act::Kind::receive_by:
                    if (!take(node.inbox, act.port)) return sends > 0;
                    break;
                case Act::Kind::send: {
                    const Port first = act.to == no_node ? act.port : act.route.front();
                    if (sends + node.held >= machine_.sends_of(v) || used.count(first) != 0) return true;
                    ++sends;
                    used.insert(first);
                    claim(round, v, act.to == no_node ? std::vector<Port>{act.port} : act.route);
                }
            }
        }
        return sends > 0;
    }

    static bool take(std::multiset<std::tuple<Round, NodeId, Port>>& inbox, Port port) {
        const auto found = std::find_if(inbox.begin(), inbox.end(), [port](const auto& letter) {
            return port == no_port || std::get<2>(letter) == port;
        });
        if (found == inbox.end()) return false;
        inbox.erase(found);
        return true;
    }

    void claim(Round round, NodeId from, const std::vector<Port>& route) {
        LinkEnd end{from, no_port};
        for (const Port port : route) end = topology_.across(end.node, port);
        claims_.push_back({round, from, route, end.node, end.port});
        ++sends_;
    }

    void grant(Round round) {
        std::sort(claims_.begin(), claims_.end(), [](const Claim& a, const Claim& b) { return a.order() < b.order(); });
        std::map<NodeId, std::size_t> uses;
        std::set<std::pair<NodeId, Port>> channels;
        std::vector<Claim> granted;
        std::vector<Claim> waiting;
        for (const Claim& claim : claims_) (fits(claim, uses, channels) ? granted : waiting).push_back(claim);
        for (const Claim& claim : granted)
            if (claim.since < round) --nodes_[claim.from].held;
        for (const Claim& claim : waiting)
            if (claim.since == round) ++nodes_[claim.from].held;
        claims_ = waiting;
        note(round, granted);
    }

    /// Takes ports and channels if all are free.
    bool fits(const Claim& claim, std::map<NodeId, std::size_t>& uses,
              std::set<std::pair<NodeId, Port>>& channels) const {
        const bool half = machine_.duplex == Duplex::half;
        if (uses[claim.to] >= machine_.receives_of(claim.to)) return false;
        if (half && uses[claim.from] >= machine_.ports_of(claim.from)) return false;
        std::vector<std::pair<NodeId, Port>> wanted;
        NodeId at = claim.from;
        for (const Port port : claim.route) {
            wanted.emplace_back(at, port);
            at = topology_.across(at, port).node;
        }
        for (const auto& channel : wanted)
            if (channels.count(channel) != 0) return false;
        channels.insert(wanted.begin(), wanted.end());
        ++uses[claim.to];
        uses[claim.from] += half ? 1 : 0;
        return true;
    }

    void note(Round round, std::vector<Claim>& granted) {
        if (granted.empty()) return;
        std::sort(granted.begin(), granted.end(), [](const Claim& a, const Claim& b) {
            return std::tuple(a.from, a.route.front()) < std::tuple(b.from, b.route.front());
        });
        moves_ += fmt::format("{}{}:", moves_.empty() ? "" : " | ", round);
        for (const Claim& claim : granted) {
            moves_ += fmt::format(" {}>{}", claim.from, claim.to);
            nodes_[claim.to].inbox.emplace(round, claim.from, claim.in);
        }
    }

    const Machine& machine_;
    const Topology& topology_;
    const std::vector<Script>& scripts_;
    std::vector<State> nodes_;
    std::vector<Claim> claims_;
    std::size_t sends_ = 0;
    std::string moves_;
};

}  // namespace kport::test
