/// @file values_test.cpp   What a node may sum up and send on: values that came in messages, each whole.
///
/// Source   model.md section 8 (delivery).
#include <memory>
#include <tuple>
#include <vector>

#include "tests/rules/reductions.hpp"

namespace kport {
namespace {

using test::all_sentences;
using test::both_engines;
using test::counted;
using test::expect_told;
using test::machine;
using test::on;
using test::reducing;
using test::the;
using testing::ElementsAre;

/// Where the programs of all nodes can see it: no node of the machine could.
struct SharedMemory {
    std::vector<Value> values;
    Node* node_1 = nullptr;
};

TEST(AResult, OfValuesThatNoMessageBroughtIsCaught) {
    // Node 3 takes the contributions from memory that all programs share; no message moves.
    const Machine line = machine("line:4");
    const auto shared = std::make_shared<SharedMemory>();
    const auto passes_by = [shared](Node& self) -> Program {
        return [](Node& node, SharedMemory& memory) -> Program {
            memory.values.push_back(node.contribution());
            co_await node.next_round();
            if (node.id() != 3) co_return;  // the last that both engines start
            Value all = memory.values[0];
            for (std::size_t i = 1; i < memory.values.size(); ++i) all = node.fold(all, memory.values[i]);
            node.result(all);
        }(self, *shared);
    };
    for (const EngineKind engine : both_engines) {
        shared->values.clear();
        Job job = reducing(line, Operation::reduce, {}, passes_by);
        job.collective.root = 3;
        const RunResult result = run(job, on(engine));
        EXPECT_EQ(result.engine, engine);
        EXPECT_THAT(
            all_sentences(result, line),
            ElementsAre("delivery broken: the result of node 3 has the contribution of node 0, which never came "
                        "to it: a result sums up what its node contributes and what it has received in messages"));
        expect_told(the(Breach::result_unheld, result.verdict), 2, 3, 0);
        EXPECT_FALSE(result.verdict.delivered);
        EXPECT_LT(result.verdict.holders, result.verdict.promised);
    }
}

TEST(AResult, OfTheContributionOfAnotherNodesNodeIsCaught) {
    const Machine line = machine("line:2");
    const auto shared = std::make_shared<SharedMemory>();
    const auto leaks = [shared](Node& self) -> Program {
        return [](Node& node, SharedMemory& memory) -> Program {
            if (node.id() == 1) memory.node_1 = &node;
            co_await node.next_round();
            if (node.id() == 0) node.result(node.fold(node.contribution(), memory.node_1->contribution()));
            co_await node.next_round();
        }(self, *shared);
    };
    EXPECT_THROW((void)run_lockstep(reducing(line, Operation::reduce, {}, leaks), {}), ProgramError);
}

/// Node 0 of line:4 receives {2, 3} from node 1, folded with 1 if it `folds` that too, and then sends on or gives a part.
template <class Then>
Job after_a_fold(Operation operation, bool folds, Then then) {
    return reducing(machine("line:4"), operation, {}, [=](Node& self) -> Program {
        return [](Node& node, bool folds_1, Then do_then) -> Program {
            if (node.id() == 3) co_await node.send_to(2, node.contribution());
            if (node.id() == 2) {
                const Arrival arrival = co_await node.receive();
                const Value both = node.fold(node.contribution(), arrival.value());
                co_await node.send_to(1, both);
            }
            if (node.id() != 1) co_return;
            const Arrival arrival = co_await node.receive();
            const Value all = folds_1 ? node.fold(node.contribution(), arrival.value()) : arrival.value();
            const Value part = do_then(node, all);
            co_await node.send_to(0, part);
        }(self, folds, then);
    });
}

TEST(AValue, CannotBeTakenApart) {
    // Node 1 has 2 and 3 folded, and claims to send 2 alone.
    const auto part = [](Node&, const Value&) { return Value(Element{{2}, 1}); };
    const Verdict verdict = run_lockstep(after_a_fold(Operation::reduce, false, part), {}).verdict;
    const Violation v = the(Breach::taken_apart, verdict);
    expect_told(v, 3, 1, 2);
    EXPECT_EQ(v.other, 0U);
    EXPECT_EQ(
        sentence(v, *machine("line:4").topology),
        "delivery broken: node 1 sends contribution 2 in round 3 and has it only folded with others: it went to node "
        "0 by port 0 without some of those; a value cannot be taken apart");
}

TEST(AValue, MayBeSentWithoutWhatCameApartFromIt) {
    // {2, 3} as it came, without node 1's own contribution; {1} alone; and both.
    const auto as_it_came = [](Node&, const Value& value) { return value; };
    const auto own = [](Node& node, const Value&) { return node.contribution(); };
    for (const bool folds : {true, false})
        EXPECT_EQ(
            counted(run_lockstep(after_a_fold(Operation::reduce, folds, as_it_came), {}).verdict, Breach::taken_apart),
            0U);
    EXPECT_EQ(counted(run_lockstep(after_a_fold(Operation::reduce, true, own), {}).verdict, Breach::taken_apart), 0U);
}

TEST(AResult, CannotTakeAValueApart) {
    // Node 2 of a scan folds everything and sends it to node 1, whose prefix lacks the last contribution.
    const Machine line = machine("line:3");
    const auto whole = [](Node& self) -> Program {
        if (self.id() == 0) {
            const Value own = self.contribution();
            self.result(own);
            co_await self.send_to(2, own);
        }
        if (self.id() == 1) {
            const Arrival arrival = co_await self.receive();
            self.result(Value(Element{{0, 1, 2}, arrival.value().element().bits}));
        }
        if (self.id() == 2) {
            const Value own = self.contribution();
            const Arrival arrival = co_await self.receive();
            const Value all = self.fold(arrival.value(), own);
            self.result(all);
            co_await self.send_to(1, all);
        }
    };
    const Verdict apart = run_lockstep(reducing(test::wormhole(line), Operation::scan, {}, whole), {}).verdict;
    const Violation v = the(Breach::taken_apart, apart);
    EXPECT_EQ(std::tuple(v.node, v.packet, v.other), std::tuple(1U, 0U, no_node));
    EXPECT_EQ(
        sentence(v, *line.topology),
        "delivery broken: the result of node 1 has the contribution of node 0, which the node has only folded with "
        "others: the result lacks some of those; a value cannot be taken apart");
}

}  // namespace
}  // namespace kport
