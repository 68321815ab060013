/// @file experiment_test.cpp   Which experiments are valid, and the command that repeats one.
#include "app/session/experiment.hpp"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/session/experiments.hpp"

namespace kport::test {
namespace {

struct Wrong {
    std::string name;
    std::function<void(Experiment&)> make;
    std::string refusal;
};

class AWrongExperiment : public testing::TestWithParam<Wrong> {};

TEST_P(AWrongExperiment, IsRefusedInTheWordsOfItsMembers) {
    Experiment e = experiment("hypercube:3", Operation::reduce);
    require_valid(e);
    GetParam().make(e);
    EXPECT_EQ(refusal([&] { require_valid(e); }), GetParam().refusal);
}

INSTANTIATE_TEST_SUITE_P(
    Experiments, AWrongExperiment,
    testing::Values(Wrong{"Topology", [](Experiment& e) { e.machine.topology = nullptr; },
                          "machine.topology is missing; want one of make_topology(), such as hypercube:10"},
                    Wrong{"Threads", [](Experiment& e) { e.threads = 0; }, "threads 0 is not from 1 to 1024"},
                    Wrong{"ManyThreads", [](Experiment& e) { e.threads = 1025; }, "threads 1025 is not from 1 to 1024"},
                    Wrong{"Partitions", [](Experiment& e) { e.partition_nodes = 0; },
                          "partition_nodes 0: a partition has at least one node"},
                    Wrong{"FreePartitions",
                          [](Experiment& e) {
                              e.partition_nodes = 2;
                              e.engine = EngineKind::free;
                          },
                          "partition_nodes deals the nodes of lockstep; leave engine free out"},
                    Wrong{"FreeUntil",
                          [](Experiment& e) {
                              e.until = 2;
                              e.engine = EngineKind::free;
                          },
                          "until needs rounds that all nodes share; leave engine free out"},
                    Wrong{"Order",
                          [](Experiment& e) {
                              e.order = 7;
                              e.threads = 2;
                          },
                          "order runs on one thread; leave threads 2 out"},
                    Wrong{"Probability",
                          [](Experiment& e) {
                              e.injection = Injection{Fault::drop, 1.5};
                          },
                          "injection 'drop:1.5': probability '1.5' is not above 0 and at most 1, such as 0.01"},
                    Wrong{"Bytes", [](Experiment& e) { e.collective.packet_bytes = 12; },
                          "packet_bytes 12: elements of type int64 have 8 bytes each; want a multiple of 8"}),
    [](const auto& wrong) { return wrong.param.name; });

TEST(Injections, AreReadAndWritten) {
    const Injection often = injection_named("corrupt:0.25");
    EXPECT_EQ(often.fault, Fault::corrupt);
    EXPECT_EQ(often.probability, 0.25);
    EXPECT_EQ(text(often), "corrupt:0.25");
    EXPECT_EQ(text(injection_named("drop")), "drop");
    EXPECT_EQ(refusal([] { (void)injection_named("drop:0"); }),
              "injection 'drop:0': probability '0' is not above 0 and at most 1, such as 0.01");
    EXPECT_EQ(refusal([] { (void)injection_named("drop:nan"); }),
              "injection 'drop:nan': probability 'nan' is not above 0 and at most 1, such as 0.01");
    EXPECT_THAT(refusal([] { (void)injection_named("dorp"); }), testing::HasSubstr("did you mean 'drop'?"));
}

TEST(Threads, OfAnOrderAreOneAndElseAtLeastOne) {
    Experiment e = experiment("line:3");
    e.threads = std::nullopt;
    EXPECT_GE(e.thread_count(), 1U);
    e.threads = 5;
    EXPECT_EQ(e.thread_count(), 5U);
    e.threads = std::nullopt;
    e.order = 1;
    EXPECT_EQ(e.thread_count(), 1U);
}

TEST(TheCommandThatRepeats, NamesOnlyWhatIsNoDefault) {
    Experiment e = experiment("hypercube:10");
    e.threads = std::nullopt;
    EXPECT_EQ(again(e, "sbt"), "kport run broadcast --on hypercube:10 --ports 1 --algorithm sbt");
}

TEST(TheCommandThatRepeats, NamesAllThatIsNot) {
    Experiment e = experiment("mesh:2x3", Operation::reduce);
    e.machine.ports = PortLimit::all();
    e.machine.duplex = Duplex::half;
    e.machine.switching = Switching::wormhole;
    e.machine.combining = false;
    e.machine.policy = Policy::strict;
    e.machine.costs = {2, 0.5, 0.25};
    e.collective.root = 4;
    e.collective.packet_bytes = 8;
    e.collective.rules.nodup = Force::counted;
    e.options.reduction.op = Operator::max;
    e.options.reduction.values = {"3", "-1", "4", "1", "5", "it's"};
    e.options.keep = Keep::greater;
    e.options.dimensions = {1, 0};
    e.payload = false;
    e.engine = EngineKind::free;
    e.seed = 7;
    e.per_round = true;
    e.injection = Injection{Fault::drop, 0.5};
    e.max_rounds = 50;
    EXPECT_EQ(again(e, "x"),
              "kport run reduce --on mesh:2x3 --ports all --algorithm x --duplex half --switching wh --combining off "
              "--policy strict --ts 2 --td 0.5 --tm 0.25 --source 4 --bytes 8 --rules nodup=count --payload none "
              "--keep greater --dimensions 1,0 --op max --engine free --threads 1 "
              "--seed 7 --per-round --inject drop:0.5 --max-rounds 50");
    e.payload = true;  // without bytes no value is folded
    EXPECT_THAT(again(e, "x"), testing::HasSubstr(" --op max --values '3,-1,4,1,5,it'\\''s' --engine free "));
}

TEST(TheCommandThatRepeats, NamesNoCommandForWhatOnlyAProgramCanSay) {
    Experiment e = experiment("hypercube:3");
    e.collective = Collective::allreduce(8);
    e.options.reduction =
        Reduction::own<int>({.name = "first",
                             .fold = [](int left, int) { return left; },
                             .contribution = [](NodeId v, std::uint64_t) { return static_cast<int>(v); }});
    EXPECT_EQ(again(e, "exchange"), "");
}

}  // namespace
}  // namespace kport::test
