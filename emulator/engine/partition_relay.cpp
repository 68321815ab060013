/// @file partition_relay.cpp   Nodes through which the segments of a vector go, without programs, letters and mail
///                             (engine/exchange_run.hpp).
#include <cstring>

#include "emulator/engine/answered.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/node/fold_order.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

ValueHop hop_of(NodeId from, NodeId to, Port out, const Element& value) {
    return {from, to, out, value.contributions, value.segment, value.around};
}

}  // namespace

void Partition::begin_relay() {
    ExchangeRun& run = *world_.exchange;
    const bool is_answered = answered([&] {
        for_each_own_node([&](NodeId v) {
            const std::uint32_t segment = run.relay->first_segment(v);
            hear(v, 0, segment);
            if (segment >= world_.topology.nodes()) return run.leave();
            run.sent_in(0)[v] = world_.folder->sealed_element(v, segment);
        });
    });
    if (!is_answered) run.leave();
}

void Partition::begin_results() {
    ExchangeRun& run = *world_.exchange;
    const auto nodes = static_cast<std::uint32_t>(world_.topology.nodes());
    const PacketBlock all = block_of(all_segments(nodes), {0, 1, nodes});
    for_each_own_node([&](NodeId v) {
        world_.results[v] = Body::make({&all, 1}, nodes * world_.folder->bytes_of_segment(), pool_);
        Element& own = run.sent_in(step())[v];
        const bool has_all = own.around == 0 && own.contributions == Progression{0, 1, nodes};
        if (!has_all || !world_.folder->intact(own)) [[unlikely]]
            return run.leave();
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

/// What a node keeps must be what it was sealed as, and of each segment one.
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

void Partition::end_relay() {
    ExchangeRun& run = *world_.exchange;
    const Folder& folder = *world_.folder;
    for_each_own_node([&](NodeId v) {
        Body*& result = world_.results[v];
        const Element& last = run.sent_in(run.steps)[v];
        const bool intact = run.keeps_all_results() ? are_intact_results(v) : folder.intact(last);
        if (!intact) [[unlikely]]
            run.leave();
        if (run.keeps_all_results())
            result->seal = folder.seal_of(*result);
        else
            result = folder.body_of(last, pool_);
        tell_result(world_.auditor, index_, round_, v, *result);
    });
}

// As accept_exchange().
void Partition::accept_relay(Round round) {
    ExchangeRun& run = *world_.exchange;
    const Folder& folder = *world_.folder;
    const Topology& topology = world_.topology;
    const NodeId nodes = topology.nodes();
    const unsigned now = step();
    const auto ports = run.ports(now);
    if (!ports) return;
    const bool folds = now < run.folding_steps;
    const Element* const sent = run.sent_in(now).data();
    Element* const next = run.sent_in(now + 1).data();
    for_each_own_node([&](NodeId v) {
        const NodeId from = topology.across(v, ports->in).node;
        const Element came = sent[from];
        world_.rounds.sent(index_, round, hop_of(v, topology.across(v, ports->out).node, ports->out, sent[v]));
        world_.rounds.received(index_, round, hop_of(from, v, ports->out, came));
        at_work_.resumes(v, round + 1);
        if (!folder.intact(came)) [[unlikely]]
            return run.leave();
        if (!folds) {
            keep_result(v, came);
            next[v] = came;
            return;
        }
        const bool is_folded = answered([&] {
            const Element own = folder.element(v, came.segment);
            const bool is_left = stands_left(came.lowest(), own.lowest());
            const Element& left = is_left ? came : own;
            const Element& right = is_left ? own : came;
            const auto both = side_by_side(left, right, true, nodes);
            if (!both) [[unlikely]]
                return run.leave();
            next[v] = folder.fold(left, right, *both);
        });
        if (!is_folded) run.leave();
    });
    at_work_.rests();
}

}  // namespace kport
