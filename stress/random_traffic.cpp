#include "stress/random_traffic.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/dice.hpp"
#include "emulator/schedule/promise.hpp"

namespace kport {

namespace {

using Route = std::vector<Port>;

struct Message {
    NodeId from;
    NodeId to;
    PacketSet packets;
};

/// What a node does next: it starts a message, or receives one.
struct Step {
    std::size_t message;
    bool sends;
};

/// Who sends what to whom, in an order in which everything could happen one after the other: so no program waits for ever,
/// in whatever order claims are granted.
class Plan {
  public:
    Plan(const Case& c, bool repeats)
        : machine_(c.machine), topology_(*machine_.topology), promise_(c.promise()), nodes_(topology_.nodes()),
          dice_(mixed(c.seed)), repeats_(repeats), takes_any_(dice_.happens(0.5)), declares_(dice_.happens(0.5)),
          steps_(nodes_) {
        if (is_reduction(promise_.operation))
            plan_values();
        else
            plan_packets();
        for (std::size_t m = 0; m < messages_.size(); ++m) {
            steps_[messages_[m].from].push_back({m, true});
            steps_[messages_[m].to].push_back({m, false});
        }
        for (NodeId v = 0; v < nodes_; ++v) {
            send_own_first(v);
            // Some end without receiving what comes last: it has come to them all the same.
            if (!takes_any_ && !reduces() && dice_.happens(0.1))
                while (!steps_[v].empty() && !steps_[v].back().sends) steps_[v].pop_back();
            begins_.push_back(dice_.happens(0.2) ? static_cast<Round>(dice_.between(2, 4)) : 1);
            if (repeats && nodes_ > 1 && dice_.happens(0.02)) waits_in_vain_.insert(v);
        }
    }

    [[nodiscard]] bool takes_any() const { return takes_any_; }
    /// Sends that follow each other are declared to belong to one round.
    [[nodiscard]] bool declares() const { return declares_; }
    [[nodiscard]] const Message& message(std::size_t m) const { return messages_[m]; }
    [[nodiscard]] const std::vector<Step>& steps(NodeId v) const { return steps_[v]; }
    [[nodiscard]] const Route& route(const Message& message) const { return routes_.at({message.from, message.to}); }
    [[nodiscard]] bool reduces() const { return is_reduction(promise_.operation); }
    [[nodiscard]] bool wormhole() const { return machine_.switching == Switching::wormhole; }
    [[nodiscard]] NodeId root() const { return promise_.source; }
    [[nodiscard]] PacketSet owned_by(NodeId v) const { return owned(promise_, v, nodes_); }
    [[nodiscard]] bool broadcasts() const { return promise_.operation == Operation::broadcast; }

    /// The round in which a node that starts by itself begins.
    [[nodiscard]] Round begins(NodeId v) const { return begins_[v]; }
    /// The node receives once more than is sent to it.
    [[nodiscard]] bool waits_in_vain(NodeId v) const { return waits_in_vain_.contains(v); }

    /// Nodes whose first step is a send, unless they are to wait for their first message with it.
    [[nodiscard]] std::vector<NodeId> starters() const {
        std::vector<NodeId> starters;
        for (NodeId v = 0; v < nodes_; ++v)
            if (steps_[v].empty() ? v == promise_.source : steps_[v].front().sends && !waits_for_mail_.contains(v))
                starters.push_back(v);
        return starters;
    }

  private:
    /// A node that starts with its first message may send what it owns before it receives anything. Its sends keep their order.
    void send_own_first(NodeId v) {
        std::vector<Step>& steps = steps_[v];
        if (steps.empty() || steps.front().sends || reduces() || !dice_.happens(0.5)) return;
        const PacketSet own = owned_by(v);
        const auto first = std::ranges::find_if(steps, &Step::sends);
        if (first != steps.end() && own.covers(messages_[first->message].packets.blocks()))
            std::rotate(steps.begin(), first, first + 1);
        waits_for_mail_.insert(v);
    }

    struct Edge {
        NodeId from;
        NodeId to;
        PacketBlock packet;
        std::size_t parent;  ///< the edge by which the sender gets the packet; none: it owns it
    };
    static constexpr std::size_t none = ~std::size_t{0};

    // ------------------------------------------------------------------------------------------------------ trees

    /// parent[v] of a tree from `root` that holds at least `wanted`; no_node outside. On a wormhole machine any two nodes may
    /// be neighbours in the tree.
    std::vector<NodeId> tree(NodeId root, const std::vector<NodeId>& wanted) {
        std::vector<NodeId> parent(nodes_, no_node);
        if (wormhole()) {
            std::vector<NodeId> in_tree = {root};
            const double straight = dice_.happens(0.5) ? 1 : 0.3;  // all from the root: they compete for its ports
            for (const NodeId v : shuffled(wanted)) {
                parent[v] = dice_.happens(straight) ? root : in_tree[dice_.below(in_tree.size())];
                in_tree.push_back(v);
            }
            return parent;
        }
        // Any tree of the graph, grown link by link, then cut back to what is wanted.
        std::vector<std::pair<NodeId, NodeId>> links;
        std::vector<bool> reached(nodes_);
        const auto reach = [&](NodeId v) {
            reached[v] = true;
            for (Port p = 0; p < topology_.ports(); ++p)
                if (const NodeId w = topology_.across(v, p).node; w != no_node) links.emplace_back(v, w);
        };
        std::vector<NodeId> grown(nodes_, no_node);
        for (reach(root); !links.empty();) {
            std::swap(links[dice_.below(links.size())], links.back());
            const auto [v, w] = links.back();
            links.pop_back();
            if (reached[w]) continue;
            grown[w] = v;
            reach(w);
        }
        for (NodeId v : wanted)
            for (; v != root && parent[v] == no_node; v = grown[v]) parent[v] = grown[v];
        return parent;
    }

    std::vector<NodeId> shuffled(std::vector<NodeId> nodes) {
        dice_.shuffle(nodes);
        return nodes;
    }

    // ---------------------------------------------------------------------------------------------------- packets

    void plan_packets() {
        std::vector<PacketSet> wanted_by;
        for (NodeId v = 0; v < nodes_; ++v) wanted_by.push_back(wanted(promise_, v, nodes_));
        std::vector<Edge> edges;
        for (NodeId owner = 0; owner < nodes_; ++owner) {
            const PacketSet own = owned(promise_, owner, nodes_);
            for (const PacketBlock& block : own.blocks())
                for (std::uint32_t i = 0; i < block.count; ++i) {
                    const PacketBlock packet{block.columns()[i], 1, 1, block.row, 1, 1};
                    std::vector<NodeId> wanting;
                    for (NodeId v = 0; v < nodes_; ++v)
                        if (v != owner && wanted_by[v].covers({&packet, 1})) wanting.push_back(v);
                    add_edges(owner, packet, tree(owner, wanting), edges);
                }
        }
        put_in_order(edges);
    }

    void add_edges(NodeId owner, const PacketBlock& packet, const std::vector<NodeId>& parent,
                   std::vector<Edge>& edges) {
        const std::size_t first = edges.size();
        std::map<NodeId, std::size_t> edge_to;
        for (NodeId v = 0; v < parent.size(); ++v)
            if (parent[v] != no_node) {
                edge_to[v] = edges.size();
                edges.push_back({parent[v], v, packet, none});
            }
        if (repeats_) repeat(owner, packet, parent, edges);
        for (std::size_t e = first; e < edges.size(); ++e)
            if (edges[e].from != owner) edges[e].parent = edge_to.at(edges[e].from);
    }

    /// Some nodes that have the packet send it to nodes that have it, or had it.
    void repeat(NodeId owner, const PacketBlock& packet, const std::vector<NodeId>& parent, std::vector<Edge>& edges) {
        for (NodeId from = 0; from < nodes_ && nodes_ > 1; ++from) {
            if ((from != owner && parent[from] == no_node) || !dice_.happens(0.2)) continue;
            const NodeId to = wormhole()
                                  ? dice_.below(nodes_)
                                  : topology_.across(from, static_cast<Port>(dice_.below(topology_.ports()))).node;
            const bool has_it = to == owner || (to != no_node && parent[to] != no_node);
            if (has_it && to != from && parent[to] != from) edges.push_back({from, to, packet, none});
        }
    }

    /// Any order in which each node sends a packet after it came; what is ready for the same receiver may go together.
    void put_in_order(const std::vector<Edge>& edges) {
        std::vector<std::vector<std::size_t>> after(edges.size());
        std::vector<std::size_t> ready;
        for (std::size_t e = 0; e < edges.size(); ++e)
            (edges[e].parent == none ? ready : after[edges[e].parent]).push_back(e);
        const double bundling = machine_.combining && !broadcasts() ? 0.5 : 0;
        while (!ready.empty()) {
            std::swap(ready[dice_.below(ready.size())], ready.back());
            const std::size_t next = ready.back();
            const bool bundle = dice_.happens(bundling);
            const auto stays = [&](std::size_t e) {
                const bool joins = edges[e].from == edges[next].from && edges[e].to == edges[next].to;
                return e != next && !(bundle && joins);
            };
            const auto going = std::partition(ready.begin(), ready.end(), stays);
            const std::vector<std::size_t> gone(going, ready.end());
            ready.erase(going, ready.end());
            Message message{edges[next].from, edges[next].to, {}};
            for (const std::size_t e : gone) {
                message.packets.add(edges[e].packet);
                ready.insert(ready.end(), after[e].begin(), after[e].end());
            }
            add(std::move(message));
        }
    }

    // ----------------------------------------------------------------------------------------------------- values

    /// Values go up the tree: a node's own after all that come to it.
    void plan_values() {
        std::vector<NodeId> all(nodes_);
        std::iota(all.begin(), all.end(), NodeId{0});
        std::erase(all, promise_.source);
        const std::vector<NodeId> parent = tree(promise_.source, all);
        std::vector<std::size_t> children(nodes_);
        for (const NodeId p : parent)
            if (p != no_node) ++children[p];
        std::vector<NodeId> ready;
        for (const NodeId v : all)
            if (children[v] == 0) ready.push_back(v);
        while (!ready.empty()) {
            std::swap(ready[dice_.below(ready.size())], ready.back());
            const NodeId v = ready.back();
            ready.pop_back();
            add({v, parent[v], {}});
            if (--children[parent[v]] == 0 && parent[v] != promise_.source) ready.push_back(parent[v]);
        }
    }

    // ----------------------------------------------------------------------------------------------------- routes

    void add(Message message) {
        const auto [place, is_new] = routes_.try_emplace({message.from, message.to});
        if (is_new) place->second = drawn_route(message.from, message.to);
        messages_.push_back(std::move(message));
    }
    /// The topology's own, or by way of some other node. Always the same for two nodes, so that no message overtakes another.
    Route drawn_route(NodeId from, NodeId to) {
        Route route = own_route(from, to);
        if (!wormhole() || !dice_.happens(0.3)) return route;
        const NodeId by = dice_.below(nodes_);
        Route detour = own_route(from, by);
        const Route rest = own_route(by, to);
        detour.insert(detour.end(), rest.begin(), rest.end());
        return detour.empty() || !is_simple(from, detour) ? route : detour;
    }
    [[nodiscard]] Route own_route(NodeId from, NodeId to) const {
        if (!wormhole()) return {topology_.port_to(from, to)};
        Route route;
        for (; from != to; from = topology_.across(from, route.back()).node) route.push_back(topology_.route(from, to));
        return route;
    }
    [[nodiscard]] bool is_simple(NodeId at, const Route& route) const {
        std::set<NodeId> visited = {at};
        return std::ranges::all_of(
            route, [&](Port port) { return visited.insert(at = topology_.across(at, port).node).second; });
    }

    Machine machine_;
    const Topology& topology_;
    Promise promise_;
    NodeId nodes_;
    Dice dice_;
    bool repeats_;  ///< packets come again
    bool takes_any_;
    bool declares_;
    std::vector<Message> messages_;
    std::map<std::pair<NodeId, NodeId>, Route> routes_;
    std::vector<std::vector<Step>> steps_;
    std::set<NodeId> waits_for_mail_;
    std::set<NodeId> waits_in_vain_;
    std::vector<Round> begins_;
};

Program send(Node& self, const Plan& plan, const Message& message) {
    const Route& route = plan.route(message);
    const Cargo cargo = plan.broadcasts() ? Cargo(Packet(0)) : Cargo(message.packets);
    if (plan.wormhole())
        co_await self.send_along(message.to, route, cargo);
    else
        co_await self.send(route.front(), cargo);
}

/// Throws unless the program sees what was sent to it: a message of that sender, by a link from it, of an earlier round.
void check(const Node& self, const Plan& plan, const Arrival& arrival) {
    const auto refuse = [&](std::string_view what) {
        throw std::logic_error(fmt::format("a message from node {} by port {} in round {}, received in round {}: {}",
                                           arrival.from, arrival.port, arrival.round, self.round(), what));
    };
    if (arrival.round == 0 || arrival.round >= self.round()) refuse("no earlier round");
    if (self.topology().across(self.id(), arrival.port).node == no_node) refuse("no such port");
    if (!plan.wormhole() && self.topology().across(self.id(), arrival.port).node != arrival.from)
        refuse("another neighbour is there");
    const PacketSet came = plan.broadcasts() ? PacketSet(PacketBlock{0}) : arrival.packets();
    const auto is_this = [&](const Step& step) {
        const Message& message = plan.message(step.message);
        if (step.sends || message.from != arrival.from) return false;
        return plan.reduces() || (message.packets.size() == came.size() && message.packets.covers(came.blocks()));
    };
    if (std::ranges::none_of(plan.steps(self.id()), is_this)) refuse("nobody sends it");
}

/// The sends that follow from the i-th step on.
std::vector<SendRequest> sends_from(const Node& self, const Plan& plan, std::size_t i) {
    std::vector<SendRequest> sends;
    const std::vector<Step>& steps = plan.steps(self.id());
    for (; i < steps.size() && steps[i].sends; ++i) {
        const Message& message = plan.message(steps[i].message);
        const Route& route = plan.route(message);
        const Cargo cargo = plan.broadcasts() ? Cargo(Packet(0)) : Cargo(message.packets);
        sends.push_back(plan.wormhole() ? SendRequest(message.to, route, cargo) : SendRequest(route.front(), cargo));
    }
    return sends;
}

Program in_order(Node& self, const Plan& plan) {
    while (self.round() < plan.begins(self.id())) co_await self.next_round();
    const std::vector<Step>& steps = plan.steps(self.id());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].sends && plan.declares()) {
            const std::vector<SendRequest> together = sends_from(self, plan, i);
            co_await self.send_together(together);
            i += together.size() - 1;
            continue;
        }
        const Message& message = plan.message(steps[i].message);
        if (steps[i].sends) {
            co_await send(self, plan, message);
            continue;
        }
        const NodeId from = message.from;
        const Arrival arrival = co_await self.receive_from(from);
        check(self, plan, arrival);
    }
    const NodeId anyone = self.id() == 0 ? 1 : 0;
    if (plan.waits_in_vain(self.id())) co_await self.receive_from(anyone);
}

/// Sends what can go, receives whatever comes first, and so on.
Program as_it_comes(Node& self, const Plan& plan) {
    std::vector<const Message*> left;
    std::size_t to_come = 0;
    for (const Step& step : plan.steps(self.id())) {
        if (step.sends)
            left.push_back(&plan.message(step.message));
        else
            ++to_come;
    }
    PacketSet held = plan.owned_by(self.id());
    while (self.round() < plan.begins(self.id())) co_await self.next_round();
    for (;;) {
        for (std::size_t i = 0; i < left.size();) {
            const Message& message = *left[i];
            if (!held.covers(message.packets.blocks())) {
                ++i;
                continue;
            }
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
            co_await send(self, plan, message);
        }
        if (to_come-- == 0) break;
        const Arrival arrival = co_await self.receive();
        check(self, plan, arrival);
        const PacketSet came = plan.broadcasts() ? PacketSet(PacketBlock{0}) : arrival.packets();
        held.add(without(came.blocks(), held.blocks()));
    }
    if (plan.waits_in_vain(self.id())) co_await self.receive();
}

Program fold_and_pass(Node& self, const Plan& plan) {
    Value total = self.contribution();
    while (self.round() < plan.begins(self.id())) co_await self.next_round();
    for (const Step& step : plan.steps(self.id())) {
        const Message& message = plan.message(step.message);
        if (!step.sends) {
            const NodeId from = message.from;
            if (plan.takes_any()) {
                const Arrival arrival = co_await self.receive();
                check(self, plan, arrival);
                total = self.fold(total, arrival.value());
            } else {
                const Arrival arrival = co_await self.receive_from(from);
                check(self, plan, arrival);
                total = self.fold(total, arrival.value());
            }
            continue;
        }
        const Route& route = plan.route(message);
        if (plan.wormhole())
            co_await self.send_along(message.to, route, total);
        else
            co_await self.send(route.front(), total);
    }
    if (self.id() == plan.root()) self.result(total);
}

std::optional<std::string> misfit(const Case& c) {
    const Operation operation = c.request.operation;
    const NodeId nodes = c.topology().nodes();
    if (packet_count(c.promise(), nodes) * nodes > random_traffic_messages_max)
        return fmt::format("draws a tree for each packet: at most {} messages", random_traffic_messages_max);
    if (is_reduction(operation) && operation != Operation::reduce) return "folds along one tree: reduce alone";
    if (operation == Operation::reduce && !c.options.reduction.commutative())
        return "folds in any order: a commutative operator";
    return std::nullopt;
}

Job job_of(const Case& c, bool repeats) {
    const auto plan = std::make_shared<const Plan>(c, repeats);
    Job job;
    job.machine = c.machine;
    job.promise = c.promise();
    job.reduction = c.options.reduction;
    job.seed = c.seed;
    job.starters = plan->starters();
    job.program = [plan](Node& self) {
        if (plan->reduces()) return fold_and_pass(self, *plan);
        return plan->takes_any() ? as_it_comes(self, *plan) : in_order(self, *plan);
    };
    return job;
}

Subject subject(std::string_view name, bool repeats) {
    Subject subject;
    subject.name = name;
    subject.misfit = [repeats](const Case& c) -> std::optional<std::string> {
        if (repeats && is_reduction(c.request.operation)) return "a contribution must not come again";
        return misfit(c);
    };
    subject.job = [repeats](const Case& c) { return job_of(c, repeats); };
    subject.run = [repeats](const Case& c, const RunOptions& options) {
        const Job job = job_of(c, repeats);
        return run(job, options);
    };
    subject.breaks = {Rule::strict};
    if (repeats) subject.breaks.insert(subject.breaks.end(), {Rule::nodup, Rule::noho, Rule::delivery});
    return subject;
}

}  // namespace

Subject random_traffic() { return subject(random_traffic_name, false); }
Subject random_gossip() { return subject(random_gossip_name, true); }
std::vector<Subject> random_subjects() { return {random_traffic(), random_gossip()}; }

}  // namespace kport
