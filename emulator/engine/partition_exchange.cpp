/// @file partition_exchange.cpp   Nodes that exchange values, without programs, letters and mail (engine/exchange_run.hpp).
#include <utility>

#include "emulator/engine/answered.hpp"
#include "emulator/engine/partition.hpp"

namespace kport {

void Partition::run_exchange() {
    ExchangeRun& run = *world_.exchange;
    const bool is_relay = run.relay != nullptr;
    if (std::exchange(all_start_, false)) is_relay ? begin_relay() : begin_exchange();
    starters_.clear();  // all have started
    if (run.keeps_all_results() && step() == run.folding_steps) begin_results();
    exchanges_ = step() < run.steps;
    if (exchanges_) {
        (void)run.ports(step());  // it is left before anything moves by ports that are not there
        posted_ = world_.deal.nodes(index_, world_.topology.nodes());
    } else {
        is_relay ? end_relay() : end_exchange();
    }
}

void Partition::begin_exchange() {
    ExchangeRun& run = *world_.exchange;
    for_each_own_node([&](NodeId v) {
        const Element own = world_.folder->sealed_element(v);
        run.sent_in(0)[v] = own;
        if (run.keeps_results_apart) run.results()[v] = own;
    });
}

void Partition::end_exchange() {
    const HugeArray<Element>& results = world_.exchange->results();
    for_each_own_node([&](NodeId v) {
        if (!world_.folder->intact(results[v])) [[unlikely]]
            world_.exchange->leave();
        const PacketBlock contributions = results[v].block();
        world_.auditor.result(index_, round_, v, {&contributions, 1});
    });
}

// What comes to a node is read where its sender has it. In the order of the nodes each sends and then receives, which are all that
// the audit of a node asks for: it sends before it receives in the round.
void Partition::accept_exchange(Round round) {
    ExchangeRun& run = *world_.exchange;
    const ExchangeProgram& exchange = *run.exchange;
    const Folder& folder = *world_.folder;
    const Topology& topology = world_.topology;
    const unsigned now = step();
    const auto ports = run.ports(now);
    if (!ports) return;
    const Port port = ports->out;
    const Element* const sent = run.sent_in(now).data();
    Element* const next = run.sent_in(now + 1).data();
    Element* const results = run.keeps_results_apart ? run.results().data() : nullptr;
    const bool is_used = results == nullptr || now + 1 < run.steps;  // what a node would send next
    const auto fold_into = [&](Element& into, const Element& own, const Element& came, bool on_the_left) {
        const Element& left = on_the_left ? came : own;
        const Element& right = on_the_left ? own : came;
        if (!folds_at_once(left, right)) [[unlikely]]
            return run.leave();
        into = folder.fold(left, right, joined_neighbours(left.contributions, right.contributions));
    };
    for_each_own_node([&](NodeId v) {
        const NodeId partner = topology.across(v, port).node;
        const Element own = sent[v];
        const Element came = sent[partner];
        world_.rounds.sent(index_, round, ValueHop{v, partner, port, own.contributions});
        world_.rounds.received(index_, round, ValueHop{partner, v, port, came.contributions});
        at_work_.resumes(v, round + 1);
        const bool is_answered = answered([&] {
            const ValueExchange::Folds how = exchange.folds(v, partner, now);
            hear(v, now, (how.on_the_left ? 1U : 0U) + (how.into_result ? 2U : 0U));
            if (is_used) fold_into(next[v], own, came, how.on_the_left);
            if (results != nullptr && how.into_result) fold_into(results[v], results[v], came, how.on_the_left);
        });
        if (!is_answered) run.leave();
    });
    at_work_.rests();
}

}  // namespace kport
