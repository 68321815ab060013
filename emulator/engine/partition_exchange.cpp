/// @file partition_exchange.cpp   Nodes that exchange or relay values, without programs, letters and mail (engine/exchange_run.hpp).
#include <cstring>
#include <utility>

#include "emulator/engine/partition.hpp"
#include "emulator/node/fold_order.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

[[gnu::always_inline]] inline ValueHop hop_of(NodeId from, NodeId to, Port out, const Element& value) {
    return {from, to, out, value.contributions, value.segment, value.around};
}

}  // namespace

void Partition::run_exchange() {
    ExchangeRun& run = *world_.exchange;
    if (std::exchange(all_start_, false)) begin_exchange();
    starters_.clear();  // all have started
    if (run.keeps_all_results() && step() == run.folding_steps) begin_results();
    exchanges_ = step() < run.steps;
    if (!exchanges_) return end_exchange();
    posted_ = world_.deal.nodes(index_, world_.topology.nodes());
    (void)run.ports(step());  // throws before anything moves by them
}

void Partition::begin_exchange() {
    ExchangeRun& run = *world_.exchange;
    Element none;
    none.contributions.count = 0;
    for_each_own_node([&](NodeId v) {
        Element own;
        if (run.relay == nullptr) {
            own = world_.folder->sealed_element(v);
        } else {
            const std::uint32_t segment = run.relay->first_segment(v);
            hear(v, 0, segment);
            if (segment >= world_.topology.nodes()) throw Unexplained();
            own = world_.folder->sealed_element(v, segment);
        }
        run.sent_in(0)[v] = own;
        if (run.keeps_results_apart) run.results()[v] = world_.job.collective.is_exclusive() ? none : own;
    });
}

/// Each node has the result of one segment.
void Partition::begin_results() {
    ExchangeRun& run = *world_.exchange;
    const auto nodes = static_cast<std::uint32_t>(world_.topology.nodes());
    const PacketBlock all = block_of(all_segments(nodes), {0, 1, nodes});
    for_each_own_node([&](NodeId v) {
        world_.results[v] = Body::make({&all, 1}, nodes * world_.folder->bytes_of_segment(), pool_);
        Element& own = run.sent_in(step())[v];
        const bool has_all = own.around == 0 && own.contributions == Progression{0, 1, nodes};
        if (!has_all || !world_.folder->intact(own)) [[unlikely]]
            throw Unexplained();
        own.contributions = {nodes};
        own.seal = world_.folder->seal_of(own);
        keep_result(v, own);
    });
}

inline void Partition::keep_result(NodeId v, const Element& result) {
    if (world_.folder->payload())
        std::memcpy(world_.results[v]->bytes() + result.segment * sizeof result.bits, &result.bits, sizeof result.bits);
    world_.exchange->seals_of_results(v) += result.seal;
}

/// Whether the kept results match their checksums, one of each segment.
bool Partition::are_intact_results(NodeId v) {
    const auto nodes = static_cast<std::uint32_t>(world_.topology.nodes());
    Element result({nodes}, 0);
    Seal seals = 0;
    for (; result.segment < nodes; ++result.segment) {
        if (world_.folder->payload())
            std::memcpy(&result.bits, world_.results[v]->bytes() + result.segment * sizeof result.bits,
                        sizeof result.bits);
        seals += world_.folder->seal_of(result);
    }
    return seals == world_.exchange->seals_of_results(v);
}

void Partition::end_exchange() {
    ExchangeRun& run = *world_.exchange;
    const Folder& folder = *world_.folder;
    for_each_own_node([&](NodeId v) {
        const Element& last = run.results()[v];
        if (last.contributions.count == 0) return;  // node 0 of an exclusive scan
        const bool is_intact = run.keeps_all_results() ? are_intact_results(v) : folder.intact(last);
        if (!is_intact) [[unlikely]]
            throw Unexplained();
        if (run.relay == nullptr) {
            const PacketBlock contributions = last.block();
            return world_.auditor.result(index_, round_, v, {&contributions, 1});
        }
        Body*& result = world_.results[v];
        if (run.keeps_all_results())
            result->seal = folder.seal_of(*result);
        else
            result = folder.body_of(last, pool_);
        tell_result(world_.auditor, index_, round_, v, *result);
    });
}

// What comes to a node is read where its sender has it. In the order of the nodes each sends and then receives, which is all that
// the audit of a node requires: it sends before it receives in the round.
void Partition::accept_exchange(Round round) {
    if (world_.has_failed()) return;
    ExchangeRun& run = *world_.exchange;
    const ValueExchange::Ports ports = run.plan.known_ports(step());
    const Topology& topology = world_.topology;
    const bool relays = run.relay != nullptr;
    const bool is_there_and_back = ports.in == ports.out;
    const bool is_last = step() + 1 == run.steps;
    const Element* const sent = run.sent_in(step()).data();
    Element* const next = run.sent_in(step() + 1).data();
    Element* const results = run.keeps_results_apart ? run.results().data() : nullptr;
    for_each_own_node([&](NodeId v) {
        const NodeId from = topology.across(v, ports.in).node;
        const NodeId to = is_there_and_back ? from : topology.across(v, ports.out).node;
        const Element& came = sent[from];
        world_.rounds.sent(index_, round, hop_of(v, to, ports.out, sent[v]));
        world_.rounds.received(index_, round, hop_of(from, v, ports.out, came));
        at_work_.resumes(v, round + 1);
        if (relays) return relay_value(v, came, next[v]);
        const bool is_left = from < v;
        if (results == nullptr || !is_last) fold_value(next[v], sent[v], came, is_left);
        if (results == nullptr || !is_left) return;
        if (results[v].contributions.count == 0)
            results[v] = came;
        else
            fold_value(results[v], results[v], came, true);
    });
    at_work_.rests();
}

[[gnu::always_inline]] inline void Partition::fold_value(Element& into, const Element& own, const Element& came,
                                                         bool is_left) const {
    const Element& left = is_left ? came : own;
    const Element& right = is_left ? own : came;
    if (!folds_at_once(left, right)) [[unlikely]]
        throw Unexplained();
    into = world_.folder->fold(left, right, joined_neighbours(left.contributions, right.contributions));
}

[[gnu::always_inline]] inline void Partition::relay_value(NodeId v, const Element& came, Element& next) {
    const Folder& folder = *world_.folder;
    if (!folder.intact(came)) [[unlikely]]
        throw Unexplained();
    if (step() >= world_.exchange->folding_steps) {
        keep_result(v, came);
        next = came;
        return;
    }
    const Element own = folder.element(v, came.segment);
    const bool is_left = stands_left(came.lowest(), own.lowest());
    const Element& left = is_left ? came : own;
    const Element& right = is_left ? own : came;
    const auto both = side_by_side(left, right, true, world_.topology.nodes());
    if (!both) [[unlikely]]
        throw Unexplained();
    next = folder.fold(left, right, *both);
}

}  // namespace kport
