/// @file plan_test.cpp   A plan (node/plan.hpp) runs as the programs do that say the same, in every execution and on every machine; and
///                       one that lies is named.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/sabotage.hpp"
#include "tests/engine/all_executions.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::expect_one_verdict;
using testing::HasSubstr;

/// A plan whose answers are functions.
class Made final : public Plan {
  public:
    using Next = std::function<Act(NodeId v, std::uint64_t& place, Port in)>;
    using Carries = std::function<PacketSet(NodeId v, const Act& send)>;

    Made(
        Content content, Next next, Carries packets = [](NodeId, const Act&) { return PacketSet(); })
        : content_(content), next_(std::move(next)), packets_(std::move(packets)) {}
    [[nodiscard]] Act next_act(NodeId v, std::uint64_t& place, Port in) const override { return next_(v, place, in); }
    [[nodiscard]] Content content() const override { return content_; }
    [[nodiscard]] PacketSet packets(NodeId v, const Act& send) const override { return packets_(v, send); }

  private:
    Content content_;
    Next next_;
    Carries packets_;
};

Act with_result(Act act) {
    act.result = true;
    return act;
}

/// A plan and a program that do the same.
struct Twins {
    std::string name;
    std::string spec;
    Collective collective;
    std::shared_ptr<const Plan> plan;
    ProgramFactory program;
    Operator op = Operator::sum;
};

void PrintTo(const Twins& twins, std::ostream* out) { *out << twins.name; }

/// Along the binomial tree of a hypercube, from node 0: the dimension at hand is the place less 1.
Act down_the_tree(NodeId v, std::uint64_t& place, Port in, Port dimensions) {
    if (place == 0) {
        place = 1;
        if (v != 0) return Act::receive();
    }
    if (place == 1 && v != 0) place = in + 2;
    return place > dimensions ? Act::end() : Act::send(static_cast<Port>(place++ - 1));
}

PacketSet behind(NodeId v, Port dimension) {
    const NodeId stride = NodeId{2} << dimension;
    return PacketBlock{static_cast<std::uint32_t>((v ^ NodeId{1} << dimension) % stride),
                       static_cast<std::uint32_t>(stride), static_cast<std::uint32_t>(8 / stride)};
}

Program broadcast_down(Node& self) {
    Port first = 0;
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive();
        first = arrival.port + 1;
    }
    for (Port d = first; d < 3; ++d) co_await self.send(d, Packet(0));
}

Program scatter_down(Node& self) {
    Port first = 0;
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive();
        first = arrival.port + 1;
    }
    for (Port d = first; d < 3; ++d) {
        const PacketSet part = behind(self.id(), d);
        co_await self.pass(d, part);
    }
}

/// M packets along a line, the next one two rounds later.
Program in_pairs_of_rounds(Node& self) {
    for (std::uint32_t j = 0; j < 3; ++j) {
        if (self.id() != 0) co_await self.receive_from(self.id() - 1);
        if (self.id() == 4) continue;
        co_await self.until(2 * j + 1);
        co_await self.send_to(self.id() + 1, Packet(j));
    }
}

Program all_at_once(Node& self) {
    const PacketSet all = PacketSet::range(0, 3);
    if (self.id() != 0) co_await self.receive(test::leftwards);
    if (self.id() != 4) co_await self.send(test::rightwards, all);
}

/// Texts in the order of the nodes, from the right end to node 0.
Program to_the_left(Node& self) {
    Value all = self.contribution();
    if (self.id() != 4) {
        const Arrival arrival = co_await self.receive(test::rightwards);
        all = self.fold(all, arrival.value());
    }
    if (self.id() == 0)
        self.result(all);
    else
        co_await self.send(test::leftwards, all);
}

Program exchange_along(Node& self) {
    Value all = self.contribution();
    for (Port d = 0; d < 3; ++d) {
        co_await self.send(d, all);
        const Arrival arrival = co_await self.receive(d);
        all = self.merge(arrival.value(), all);
    }
    self.result(all);
}

/// To node 0 from the right, and the result back.
Program there_and_back(Node& self) {
    Value all = self.contribution();
    if (self.id() != 4) {
        const Arrival arrival = co_await self.receive(test::rightwards);
        all = self.merge(arrival.value(), all);
    }
    if (self.id() != 0) {
        co_await self.send(test::leftwards, all);
        const Arrival result = co_await self.receive(test::leftwards);
        all = result.value();
    }
    if (self.id() != 4) {
        const Value result = self.whole(all);
        co_await self.send(test::rightwards, result);
    }
    self.result(all);
}

Collective of_three_packets(Collective collective) {
    collective.packets_each = 3;
    return collective;
}

std::vector<Twins> twins() {
    using Content = Plan::Content;
    const auto plan = [](auto... given) { return std::make_shared<Made>(std::move(given)...); };
    const auto tree = [](NodeId v, std::uint64_t& place, Port in) { return down_the_tree(v, place, in, 3); };
    const auto line = [](NodeId v, std::uint64_t& place, Port) {
        if (v == 0 && place % 2 == 0) ++place;
        const std::uint64_t j = place / 2;
        if (j == 3 || (v == 4 && place % 2 == 1 && ++place == 6)) return Act::end();
        if (v == 4) return ++place, Act::receive_from(3);
        return place++ % 2 == 0 ? Act::receive_from(v - 1) : Act::send_to(v + 1, j, static_cast<Round>(2 * j + 1));
    };
    const auto bundle = [](NodeId v, std::uint64_t& place, Port) {
        if (v == 0 && place == 0) ++place;
        switch (place++) {
            case 0: return Act::receive(test::leftwards);
            case 1: return v == 4 ? Act::end() : Act::send(test::rightwards);
            default: return Act::end();
        }
    };
    const auto texts = [](NodeId v, std::uint64_t& place, Port) {
        if (v == 4 && place == 0) ++place;
        switch (place++) {
            case 0: return Act::receive(test::rightwards, Act::Fold::right);
            case 1: return v == 0 ? Act::end() : Act::send(test::leftwards);
            default: return Act::end();
        }
    };
    const auto steps = [](NodeId, std::uint64_t& place, Port) {
        const auto d = static_cast<Port>(place / 2);
        if (d == 3) return Act::end();
        return place++ % 2 == 0 ? Act::send(d) : Act::receive(d);
    };
    const auto back = [](NodeId v, std::uint64_t& place, Port) {
        if (v == 4 && place == 0) ++place;
        if (v == 0 && place == 1) place = 3;
        switch (place++) {
            case 0: return Act::receive(test::rightwards);
            case 1: return Act::send(test::leftwards);
            case 2: return Act::receive(test::leftwards);
            case 3: return v == 4 ? Act::end() : with_result(Act::send(test::rightwards));
            default: return Act::end();
        }
    };
    const auto all = [](NodeId, const Act&) { return PacketSet::range(0, 3); };
    const auto part = [](NodeId v, const Act& send) { return behind(v, send.where); };
    return {
        {"broadcast", "hypercube:3", Collective::broadcast(0, 24), plan(Content::packet, tree), broadcast_down},
        {"only packet", "hypercube:3", Collective::broadcast(0, 24), plan(Content::only_packet, tree), broadcast_down},
        {"scatter", "hypercube:3", Collective::scatter(0, 24), plan(Content::passed_packets, tree, part), scatter_down},
        {"in rounds", "line:5", of_three_packets(Collective::broadcast(0, 8)), plan(Content::packet, line),
         in_pairs_of_rounds},
        {"bundle", "line:5", of_three_packets(Collective::broadcast(0, 8)), plan(Content::packets, bundle, all),
         all_at_once},
        {"texts", "line:5", Collective::reduce(0, 8), plan(Content::value, texts), to_the_left, Operator::concat},
        {"allreduce", "hypercube:3", Collective::allreduce(8), plan(Content::value, steps), exchange_along},
        {"there and back", "line:5", Collective::allreduce(8), plan(Content::value, back), there_and_back},
    };
}

Job job_of(const Twins& twins, const Machine& machine) {
    Job job = job_following(twins.plan, machine, twins.collective);
    job.reduction.op = twins.op;
    if (twins.op == Operator::concat) job.reduction.type = ElementType::text;
    return job;
}

Job as_programs(const Twins& twins, const Machine& machine) {
    Job job = job_of(twins, machine);
    job.program = twins.program;
    return job;
}

class APlan : public testing::TestWithParam<Twins> {};
INSTANTIATE_TEST_SUITE_P(Of, APlan, testing::ValuesIn(twins()));

TEST_P(APlan, TellsInEveryExecutionOnEveryMachineWhatTheProgramTellsThatDoesTheSame) {
    const std::string& spec = GetParam().spec;
    std::vector<Machine> machines = {test::strict(test::machine(spec)), test::without_combining(test::machine(spec))};
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
        machines.push_back(test::machine(spec, ports));
        machines.push_back(test::half_duplex(test::machine(spec, ports)));
        machines.push_back(test::wormhole(test::machine(spec, ports)));
    }
    for (const Machine& machine : machines) {
        const std::string where = fmt::format("{} on {}, {}", GetParam().name, spec, machine.describe());
        const std::string told = expect_one_verdict([&] { return job_of(GetParam(), machine); }, where);
        EXPECT_EQ(told, expect_one_verdict([&] { return as_programs(GetParam(), machine); }, where)) << where;
        EXPECT_THAT(told, HasSubstr("delivered true")) << where;
    }
}

TEST_P(APlan, TellsUnderEachFaultWhatTheProgramTells) {
    const Machine machine = test::machine(GetParam().spec);
    const auto told = [&](const Job& job, Sabotage& sabotage) {
        RunOptions options = test::options_of(1, partition_nodes_default, 60);
        options.sabotage = &sabotage;
        return test::verdict_of([&] { return run(job, options); }, *machine.topology);
    };
    for (const Fault fault : {Fault::corrupt, Fault::lose_payload, Fault::lose_wake_up}) {
        Sabotage counting(fault);
        (void)told(job_of(GetParam(), machine), counting);
        for (std::uint64_t n = 0; n < counting.opportunities(); ++n) {
            Sabotage once(fault, n);
            Sabotage again(fault, n);
            EXPECT_EQ(told(job_of(GetParam(), machine), once), told(as_programs(GetParam(), machine), again)) << n;
        }
    }
}

// ------------------------------------------------------------------------------------------------------------------ lies

/// What every execution tells of a broadcast on a line of 4 nodes, whose node 0 starts with `first` and then does what `next` says; the
/// others receive, and end.
std::string told_of(const std::function<Act(std::uint64_t& place)>& of_node_0,
                    Plan::Content content = Plan::Content::packet, const Made::Carries& packets = {}) {
    const auto next = [of_node_0](NodeId v, std::uint64_t& place, Port) {
        if (v == 0) return of_node_0(place);
        return place++ == 0 ? Act::receive_from(0) : Act::end();
    };
    return expect_one_verdict(
        [&] {
            Collective collective = Collective::broadcast(0, 8);
            collective.packets_each = 2;
            Job job =
                job_following(std::make_shared<Made>(content, next, packets), test::machine("complete:4"), collective);
            return job;
        },
        "a lie", 0);
}

/// Sends to all others, but for one act.
std::string told_with(std::uint64_t place_of_lie, const Act& lie) {
    return told_of([=](std::uint64_t& place) {
        const std::uint64_t here = place++;
        if (here == place_of_lie) return lie;
        return here < 6 ? Act::send_to(1 + here % 3, here / 3) : Act::end();
    });
}

TEST(ALyingPlan, ThatNamesAPortOrANodeThatIsNotThereIsNamedWithTheAct) {
    EXPECT_THAT(told_with(9, Act::end()), HasSubstr("delivered true")) << "no lie";
    EXPECT_THAT(told_with(2, Act::send(7)),
                HasSubstr("act 3 of the plan of node 0, send 0 by port 7: the node has no such port; "
                          "want one of its 3"));
    EXPECT_THAT(told_with(2, Act::send(no_port)), HasSubstr("the node has no such port"));
    EXPECT_THAT(told_with(1, Act::receive(3)),
                HasSubstr("act 2 of the plan of node 0, receive by port 3: the node has no such port"));
    EXPECT_THAT(told_with(1, Act::send_to(4)),
                HasSubstr("act 2 of the plan of node 0, send 0 to node 4: want another node, of 0 to 3"));
    EXPECT_THAT(told_with(1, Act::send_to(0)), HasSubstr("want another node"));
    EXPECT_THAT(told_with(1, Act::receive_from(no_node)), HasSubstr("want another node"));
}

TEST(ALyingPlan, ThatNamesANodeThatIsNoNeighbourIsNamed) {
    const auto next = [](NodeId v, std::uint64_t& place, Port) {
        return v == 0 && place++ == 0 ? Act::send_to(2) : Act::end();
    };
    const auto told_on = [&](const Machine& machine) {
        return expect_one_verdict(
            [&] {
                return job_following(std::make_shared<Made>(Plan::Content::packet, next), machine,
                                     Collective::broadcast(0, 8));
            },
            "line:3");
    };
    EXPECT_THAT(told_on(test::machine("line:3")),
                HasSubstr("act 1 of the plan of node 0, send 0 to node 2: the nodes are no neighbours"));
    EXPECT_THAT(told_on(test::wormhole(test::machine("line:3"))), HasSubstr("holders 2")) << "no lie";
}

TEST(ALyingPlan, ThatSendsAPacketThatItDoesNotHoldIsFoundByTheAuditor) {
    const auto next = [](NodeId v, std::uint64_t& place, Port) {
        return v == 1 && place++ == 0 ? Act::send(test::rightwards) : Act::end();
    };
    const Machine machine = test::machine("line:3");
    const auto make = [&] {
        return job_following(std::make_shared<Made>(Plan::Content::packet, next), machine, Collective::broadcast(0, 8));
    };
    (void)expect_one_verdict(make, "line:3");
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        RunOptions options;
        options.engine = engine;
        const Verdict verdict = run(make(), options).verdict;
        ASSERT_FALSE(verdict.violations.empty());
        EXPECT_THAT(sentence(verdict.violations.front(), *machine.topology),
                    HasSubstr("node 1 sends packet 0 in round 1 and does not hold it"));
    }
}

TEST(ALyingPlan, ThatNamesNoPacketOfTheOperationIsNamed) {
    EXPECT_THAT(told_with(2, Act::send_to(3, 5)), HasSubstr("node 0 sends a message that names packet 5"));
}

TEST(ALyingPlan, WithoutAnEndIsNamed) {
    EXPECT_THAT(told_with(6, Act::end()), HasSubstr("delivered true")) << "no lie";
    EXPECT_THAT(told_of([](std::uint64_t&) { return Act::send_to(1); }),
                HasSubstr("act 1 of the plan of node 0, send 0 to node 1: the place stays 0, so that this act comes "
                          "again without an end"));
    const auto on_and_on = [](NodeId v, std::uint64_t& place, Port) {
        ++place;
        return v == 0 ? Act::send_to(1) : Act::receive_from(0);
    };
    RunOptions options;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        if (test::under_sanitizer && engine == EngineKind::free) continue;  // two million acts are a minute
        options.engine = engine;
        const Job job = job_following(std::make_shared<Made>(Plan::Content::packet, on_and_on),
                                      test::machine("complete:2"), Collective::broadcast(0, 8));
        EXPECT_THAT(test::verdict_of([&] { return run(job, options); }, *job.machine.topology),
                    HasSubstr("a plan has at most 2097152 acts of a node; want an end before"));
    }
}

TEST(ALyingPlan, ThatAnswersOneQuestionInTwoWaysIsNamed) {
    const auto asked = std::make_shared<std::atomic<unsigned>>(0);
    const auto alters = [asked](std::uint64_t& place) {
        if (place == 2) return place = 3, Act::send_to(1 + (*asked)++ % 2, 1);
        const std::uint64_t here = place++;
        return here < 6 ? Act::send_to(1 + here % 3, here / 3) : Act::end();
    };
    EXPECT_THAT(
        told_of(alters),
        HasSubstr("act 3 of the plan of node 0, send 1 to node 1: asked again at place 2, the plan says send 1 to "
                  "node 2, not before round 0, and goes to place 3 instead of 3; want one answer"));
    const auto part = [asked](NodeId, const Act&) { return PacketSet::range(0, 1 + (*asked)++ % 2); };
    const auto once = [](std::uint64_t& place) { return place++ == 0 ? Act::send_to(1) : Act::end(); };
    EXPECT_THAT(told_of(once, Plan::Content::packets, part),
                HasSubstr("act 1 of the plan of node 0, send 0 to node 1: asked again, the plan names other packets; "
                          "want one answer"));
}

TEST(ALyingPlan, WhoseExceptionLeavesItIsNamedWithNodeAndRound) {
    EXPECT_THAT(told_of([](std::uint64_t& place) -> Act {
                    if (place == 2) throw std::runtime_error("lost");
                    return Act::send_to(1 + place++);
                }),
                HasSubstr("node 0 in round 2: lost"));
}

}  // namespace
}  // namespace kport
