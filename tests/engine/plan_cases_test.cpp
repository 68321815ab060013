/// @file plan_cases_test.cpp   Plans of every kind, lawful ones and lies, each a named case with one verdict in every execution; and what chooses how
///                            nodes are executed.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/choose_execution.hpp"
#include "tests/engine/all_executions.hpp"
#include "tests/engine/jobs_of_plans.hpp"
#include "tests/engine/plans.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using test::expect_one_verdict;
using test::is_run_by;
using test::MakesJob;
using test::of_packets;
using test::of_values;
using test::program_of;
using test::with;

// -------------------------------------------------------------------------------------------------------------- named cases

/// A plan with one thing in it that a drawn one may miss.
struct Named {
    std::string name;
    MakesJob make;
    Execution by = Execution::programs;  ///< what executes the nodes in the end
    std::string text = {};               ///< stands in every report
};

void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

using test::PortAfter;

Job forwarding(const char* spec, PortLimit ports, const PortAfter& first, const PortAfter& next) {
    Job job = of_packets(test::machine(spec, ports), Collective::broadcast(0, 24));
    job.program = program_of<test::MadeForwarding>(job.collective, first, next);
    return job;
}

void add_forwardings(std::vector<Named>& all) {
    const auto add = [&](const char* name, const char* spec, PortLimit ports, const PortAfter& first,
                         const PortAfter& next, const char* text = "", Execution by = Execution::forwarding) {
        all.push_back(
            {fmt::format("forwarding: {}", name), [=] { return forwarding(spec, ports, first, next); }, by, text});
    };
    add(
        "two nodes send to a third, which receives the lower one's", "hypercube:2", PortLimit::all(),
        [](NodeId v, Port in) { return v == 1   ? 1
                                       : v == 3 ? in
                                                : 0; },
        [](NodeId v, Port last) { return v == 0 && last == 0 ? 1 : no_port; });
    add(
        "what comes again to a node is not taken for the first of another", "hypercube:2", PortLimit::all(),
        [](NodeId v, Port in) { return v == 0   ? 0
                                       : v == 3 ? in
                                                : 1; },
        [](NodeId v, Port last) { return v == 1 && last == 1 ? 0 : no_port; });
    add(
        "an error of two nodes is the lower one's", "hypercube:3", PortLimit::all(),
        [](NodeId v, Port in) {
            if (v == 6 || v == 5) throw std::runtime_error("lost");
            return in == no_port ? 0 : in + 1 < 3 ? in + 1 : no_port;
        },
        [](NodeId, Port last) { return last < 2 ? last + 1 : no_port; }, "node 5", Execution::programs);
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
        add(
            "a port that is not there", "line:3", ports, [](NodeId, Port) { return 1; },
            [](NodeId, Port last) { return last == 1 ? 7 : no_port; }, "has no port 7", Execution::programs);
}

/// Down the binomial tree of hypercube:3, but for node `odd`, which does something else.
struct BesideTheTree {
    static constexpr NodeId nodes = 8;
    static constexpr Port dimensions = 3;
    using First = std::function<Port(Port in)>;
    struct Odd {
        std::string name;
        std::function<Port(Port in)> first = behind;
        std::function<Port(Port last)> next = behind;
        std::function<PacketSet(NodeId v, Port out)> part = down;
    };

    [[nodiscard]] static Port behind(Port port) {
        return port == no_port ? 0 : port + 1 < dimensions ? port + 1 : no_port;
    }
    /// The packets for every stride-th node.
    [[nodiscard]] static PacketSet every(NodeId first, NodeId stride) {
        return PacketBlock{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(stride),
                           static_cast<std::uint32_t>(std::max<NodeId>(1, nodes / stride))};
    }
    [[nodiscard]] static PacketSet down(NodeId v, Port out) {
        const Port dimension = out % dimensions;
        const NodeId stride = NodeId{2} << dimension;
        return every((v ^ NodeId{1} << dimension) % stride, stride);
    }
    [[nodiscard]] static PacketSet with(PacketSet part, const PacketSet& more) {
        part.include(more.blocks());
        return part;
    }

    static std::vector<Odd> odd_ones() {
        const auto lost = [](Port) -> Port { throw std::runtime_error("lost"); };
        const auto last_first = [](NodeId v, Port out) { return out < 2 ? every(v ^ 4, nodes) : down(v, out); };
        std::vector<Odd> all;
        all.push_back({.name = "passes its own packet on",
                       .part = [](NodeId v, Port out) { return with(down(v, out), every(v, nodes)); }});
        all.push_back({.name = "passes nothing on", .part = [](NodeId, Port) { return PacketSet(); }});
        all.push_back(
            {.name = "passes on what is no packet", .part = [](NodeId, Port) { return every(nodes, nodes); }});
        all.push_back({.name = "passes on all packets of half the nodes, by each port",
                       .part = [](NodeId v, Port) { return every(v % 2, 2); }});
        all.push_back({.name = "passes its neighbour's packet on",
                       .part = [](NodeId v, Port out) { return with(down(v, out), every(v ^ 1, nodes)); }});
        all.push_back({.name = "sends the last packet back",
                       .first = [](Port in) { return in == no_port ? 0 : in; },
                       .next = [](Port) { return no_port; },
                       .part = last_first});
        all.push_back(
            {.name = "sends the last packet by port 0", .first = [](Port) { return Port{0}; }, .part = last_first});
        all.push_back({.name = "sends by a port that is not there, too",
                       .next = [](Port last) { return last == 99 ? no_port : 99; }});
        all.push_back({.name = "throws when asked for a part", .part = [](NodeId v, Port out) {
                           if (out > 0) throw std::runtime_error("fails");  // a program asks before the port is free
                           return down(v, out);
                       }});
        all.push_back({.name = "throws when asked for a port", .first = lost});
        return all;
    }
};

Job splitting(const Machine& machine, NodeId odd, const BesideTheTree::Odd& does) {
    Job job = of_packets(machine, Collective::scatter(0, 24));
    job.program = program_of<test::MadeSplitting>(
        job.collective, [=](NodeId v, Port in) { return v == odd ? does.first(in) : BesideTheTree::behind(in); },
        [=](NodeId v, Port last) { return v == odd ? does.next(last) : BesideTheTree::behind(last); },
        [=](NodeId v, Port out) { return v == odd ? does.part(v, out) : BesideTheTree::down(v, out); });
    return job;
}

TEST(ASplitting, BesideTheTreeReportsTheSameAsPrograms) {
    std::size_t broken = 0;
    std::size_t failed = 0;
    test::Sample sample(5, 3);
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
        for (const bool combining : {true, false})
            for (const BesideTheTree::Odd& does : BesideTheTree::odd_ones())
                for (NodeId odd = 0; odd < BesideTheTree::nodes; ++odd) {
                    if (sample.leaves_out()) continue;
                    Machine machine = test::machine("hypercube:3", ports);
                    machine.combining = combining;
                    const Job job = splitting(machine, odd, does);
                    test::expect_the_same_however_it_ends(job);
                    const std::string report = test::report_of(job, {});
                    failed += report.starts_with("node ") ? 1 : 0;
                    broken += report.find("delivery broken") != std::string::npos ? 1 : 0;
                    if (HasFailure()) FAIL() << does.name;
                }
    EXPECT_GT(broken, 100U / sample.one_of());
    EXPECT_GT(failed, 50U / sample.one_of());
}

/// Nodes 0 and 2 send to node 3, with one port both in round 3, so that one of them waits; with all ports one after the other.
Job two_to_three(PortLimit ports, Policy policy) {
    Machine machine = test::machine("complete:5", ports);
    machine.policy = policy;
    const Topology& topology = *machine.topology;
    Job job = of_packets(machine, Collective::scatter(0, 24));
    job.program = program_of<test::MadeSplitting>(
        job.collective,
        [&](NodeId v, Port) { return v == 0   ? topology.port_to(0, 1)
                                     : v == 2 ? topology.port_to(2, 3)
                                              : no_port; },
        [&](NodeId v, Port last) {
            const NodeId to = topology.across(v, last).node;
            return v == 0 && to < 3 ? topology.port_to(0, to + 1) : no_port;
        },
        [&](NodeId v, Port out) -> PacketSet {
            if (v == 2) return PacketBlock{3};
            const NodeId to = topology.across(v, out).node;
            return to == 1 ? PacketBlock{1} : to == 2 ? PacketBlock{2, 1, 2} : PacketBlock{4};
        });
    return job;
}

void add_splittings(std::vector<Named>& all) {
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
        for (const Policy policy : {Policy::queue, Policy::strict}) {
            const bool waits = ports.k() == 1 && policy == Policy::strict;
            all.push_back({"splitting: claims compete", [=] { return two_to_three(ports, policy); },
                           Execution::programs, waits ? "would" : "node 4 never receives"});
        }
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
        all.push_back({"splitting: a lawful run is not repeated",
                       [=] { return splitting(test::machine("hypercube:3", ports), no_node, {}); },
                       Execution::splitting, "delivered true"});
}

void add_timetables(std::vector<Named>& all) {
    const auto add = [&](
                         const char* name, const char* spec, std::uint64_t packets, Round last,
                         const test::MadeTimetable::LineOf& line, const char* text, Execution by = Execution::programs,
                         const test::MadeTimetable::NextOf& next = [](NodeId, Round round) { return round; }) {
        all.push_back({fmt::format("timetable: {}, {} packets", name, packets),
                       [=] {
                           return test::broadcast_by(std::make_shared<test::MadeTimetable>(last, line, next),
                                                     test::machine(spec), 1, packets);
                       },
                       by, text});
    };
    const auto add_line = [&](const char* name, const TimetableLine& line, const char* text,
                              Execution by = Execution::programs) {
        for (const std::uint64_t packets : {1U, 3U})
            add(
                name, "line:4", packets, 1, [=](NodeId, Round) { return line; }, text, by);
    };
    add_line("to a node that is no neighbour", {.to = 3}, "node 3 is no neighbour of node 1");
    add_line("to itself", {.to = 1}, "node 1 cannot send to node 1");
    add_line("to a node that is not there", {.to = 4}, "node 1 cannot send to node 4");
    add_line("a packet that is not there", {.to = 2, .packet = 3}, "node 1 sends a message that names packet 3");
    add_line("from a node that is not there", {.from = 4}, "waits for", Execution::timetable);
    add_line("from a node far away", {.from = no_node - 1}, "waits for", Execution::timetable);
    add(
        "an error of two nodes is the lower one's", "hypercube:3", 2, 8,
        [](NodeId v, Round round) -> TimetableLine {
            if (round >= 3 && (v == 2 || v == 1)) throw std::runtime_error("lost");
            if (round > 3) return {};
            const NodeId partner = v ^ (NodeId{1} << (round - 1));
            const bool sends = (v ^ 1) < (partner ^ 1);
            return sends ? TimetableLine{.to = partner} : TimetableLine{.from = partner};
        },
        "node 1");
    const auto only_first = [](NodeId v, Round round) {
        return v == 1 && round == 1 ? TimetableLine{.to = 2} : TimetableLine{};
    };
    constexpr Round too_far = std::numeric_limits<Round>::max();
    add("without an end", "line:3", 2, too_far, only_first, "want 4294967294 at most");
    add("that goes back", "line:3", 2, 4, only_first, "goes back: next(2) is 1", Execution::programs,
        [](NodeId, Round round) { return round > 1 ? Round{1} : round; });
}

Job exchange(const std::vector<Port>& ports, const Machine& machine = test::machine("hypercube:3"),
             const Reduction& reduction = {}, const Collective& collective = Collective::allreduce(8)) {
    return of_values(machine, collective,
                     program_of<test::MadeExchange>(static_cast<unsigned>(ports.size()),
                                                    [=](unsigned step) {
                                                        return ValueExchange::Ports{ports[step], ports[step]};
                                                    }),
                     reduction);
}

/// Above the numbers by which operators are checked.
constexpr int first_bit = 40;

/// The set of the nodes whose contributions it has; `fold` may interfere.
Reduction sets(std::function<std::int64_t(std::int64_t left, std::int64_t right)> fold, bool commutes) {
    OwnOperator<std::int64_t> sets;
    sets.name = "sets";
    sets.commutative = commutes;
    sets.contribution = [](NodeId v, std::uint64_t) { return std::int64_t{1} << (v + first_bit); };
    sets.fold = std::move(fold);
    return Reduction::own(sets);
}
/// Refuses to make one set.
Reduction refusing(std::int64_t set, bool commutes) {
    return sets(
        [=](std::int64_t left, std::int64_t right) {
            if ((left | right) >> first_bit == set) throw std::runtime_error("refused");
            return left | right;
        },
        commutes);
}

void add_exchanges(std::vector<Named>& all) {
    const auto add = [&](const char* name, const MakesJob& make, Execution by, const char* text = "") {
        all.push_back({fmt::format("exchange: {}", name), make, by, text});
    };
    const Machine cube = test::machine("hypercube:3");
    add(
        "along all dimensions",
        [] {
            return exchange({0, 1, 2});
        },
        Execution::exchange, "delivered true");
    add(
        "results lack contributions",
        [] {
            return exchange({0, 1});
        },
        Execution::exchange, "delivered false");
    add(
        "an operator that does not commute",
        [=] {
            return exchange({0, 1, 2}, cube, Reduction::own(test::first_of_two()));
        },
        Execution::exchange);
    add(
        "all ports",
        [] {
            return exchange({0, 1, 2}, test::machine("hypercube:3", PortLimit::all()));
        },
        Execution::exchange);
    add(
        "a scan",
        [=] {
            return exchange({0, 1, 2}, cube, {}, Collective::scan(8));
        },
        Execution::exchange, "delivered true");
    add(
        "contributions come twice",
        [] {
            return exchange({0, 1, 1});
        },
        Execution::programs);
    add(
        "contributions are no range",
        [] {
            return exchange({1, 0, 2});
        },
        Execution::programs);
    add(
        "no such port",
        [] {
            return exchange({0, 1, 3});
        },
        Execution::programs, "has no port 3");
    add(
        "a port leads to another one",
        [] {
            return exchange({0, 1}, test::machine("ring:4"));
        },
        Execution::programs);
    add(
        "all links of a complete graph", [] { return exchange({0}, test::machine("complete:4")); },
        Execution::programs);
    add(
        "a wormhole machine",
        [=] {
            return exchange({0, 1, 2}, test::wormhole(cube));
        },
        Execution::programs);
    add(
        "no step", [] { return exchange({}); }, Execution::programs);
    add(
        "the plan throws",
        [=] {
            return of_values(cube, Collective::allreduce(8), program_of<test::MadeExchange>(2U, [](unsigned step) {
                                 if (step == 1) throw std::runtime_error("no way");
                                 return ValueExchange::Ports{0, 0};
                             }));
        },
        Execution::programs, "no way");
    add(
        "two answers",
        [=] {
            return of_values(cube, Collective::allreduce(8),
                             program_of<test::MadeExchange>(2U, [n = std::make_shared<std::atomic<Port>>(0)](unsigned) {
                                 const Port port = ++*n % 2;
                                 return ValueExchange::Ports{port, port};
                             }));
        },
        Execution::programs, "answers ValueExchange::ports(0) in two ways");
    add(
        "the operator throws",
        [=] {
            return exchange({0, 1, 2}, cube, refusing(0b11110000, false));
        },
        Execution::programs, "node 4 in round 3: refused");
}

Job relay(const test::RelayText& text, const Machine& machine = test::machine("ring:4"),
          const Reduction& reduction = {}, std::uint64_t segments = 4) {
    return of_values(machine, with(Collective::allreduce(8), segments), program_of<test::MadeRelay>(text), reduction);
}

void add_relays(std::vector<Named>& all) {
    using test::RelayText;
    using Ports = ValueExchange::Ports;
    const auto add = [&](const char* name, const MakesJob& make, Execution by = Execution::programs,
                         const char* text = "") {
        all.push_back({fmt::format("relay: {}", name), make, by, text});
    };
    /// With some of the text changed.
    const auto add_text = [&](const char* name, const std::function<void(RelayText&)>& change,
                              Execution by = Execution::programs, const char* text = "") {
        RelayText some = RelayText::lawful(4);
        change(some);
        add(
            name, [=] { return relay(some); }, by, text);
    };
    const RelayText lawful = RelayText::lawful(4);
    const auto in_step = [&](unsigned odd, const Ports& there) {
        return [=, same = lawful.ports](unsigned step) { return step == odd ? there : same(step); };
    };
    add_text(
        "around", [](RelayText&) {}, Execution::relay, "delivered true");
    add(
        "all ports", [=] { return relay(lawful, test::machine("ring:4", PortLimit::all())); }, Execution::relay);
    add(
        "of two nodes", [=] { return relay(RelayText::lawful(2), test::machine("ring:2"), {}, 2); }, Execution::relay);
    add_text(
        "only folds, as a reduce-scatter", [](RelayText& text) { text.steps = text.folding_steps; }, Execution::relay);
    add_text(
        "folds too little", [](RelayText& text) { text.folding_steps = text.steps = 2; }, Execution::relay);
    add_text("a value comes back", [&](RelayText& text) { text.ports = in_step(0, {1, 0}); });
    add_text("a result lacks contributions", [](RelayText& text) { text.folding_steps = 2; });
    add_text("a result comes twice", [](RelayText& text) { ++text.steps; });
    add_text("a result does not come", [](RelayText& text) { --text.steps; });
    add_text("no such segment",
             [](RelayText& text) { text.first = [](NodeId v) { return v == 0 ? 4 : std::uint32_t(v + 1) % 4; }; });
    add_text("a port leads to another one", [&](RelayText& text) { text.ports = in_step(0, {1, 1}); });
    add("a wormhole machine", [=] { return relay(lawful, test::wormhole(test::machine("ring:4"))); });
    add("half duplex", [=] { return relay(lawful, test::half_duplex(test::machine("ring:4", PortLimit(2)))); });
    add("more segments than nodes", [=] { return relay(lawful, test::machine("ring:4"), {}, 8); });
    add("values have to stay in order",
        [=] { return relay(lawful, test::machine("ring:4"), Reduction::own(test::first_of_two())); });
    add_text(
        "the plan throws for a node",
        [same = lawful.first](RelayText& text) {
            text.first = [=](NodeId v) {
                if (v == 2) throw std::runtime_error("lost");
                return same(v);
            };
        },
        Execution::programs, "node 2 in round 1: lost");
    add_text(
        "the plan throws for a step",
        [same = lawful.ports](RelayText& text) {
            text.ports = [=](unsigned step) {
                if (step == 4) throw std::runtime_error("no way");
                return same(step);
            };
        },
        Execution::programs, "no way");
    add(
        "the operator throws",
        [=] { return relay(RelayText::lawful(6), test::machine("ring:6"), refusing(0b111110, true), 6); },
        Execution::programs, "refused");
    const auto no_way_in = [](const char* spec) {
        return [=] {
            RelayText text = RelayText::lawful(4);
            text.ports = [](unsigned) { return Ports{0, no_port}; };
            return relay(text, test::machine(spec));
        };
    };
    add("no way out", no_way_in("torus:2x2"), Execution::programs, "node 0 (0,0) has no port 0");
    add("no way in", no_way_in("ring:4"), Execution::programs, "which it does not have");
}

std::vector<Named> named_cases() {
    std::vector<Named> all;
    add_forwardings(all);
    add_splittings(all);
    add_timetables(all);
    add_exchanges(all);
    add_relays(all);
    return all;
}

class ANamedCase : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Of, ANamedCase, testing::ValuesIn(named_cases()));

TEST_P(ANamedCase, HasOneVerdictInEveryExecution) {
    const Named& named = GetParam();
    const std::string report = expect_one_verdict(named.make, named.name);
    EXPECT_THAT(report, testing::HasSubstr(named.text));
    EXPECT_TRUE(is_run_by(named.make(), named.by)) << named.name;
    test::expect_the_same_however_it_ends(named.make());
    if (plan_of<Splitting>(named.make()) != nullptr) {
        EXPECT_EQ(test::kept_by(named.make()), test::kept_by(test::as_programs(named.make())));
    }
}

TEST(ATimetable, WithMillionsOfEmptyLinesIsRefusedByProgramsAndInAFastRun) {  // once each: it takes a second
    const auto first_of_many = [](NodeId v, Round round) {
        return v == 1 && round == 1 ? TimetableLine{.to = 2} : TimetableLine{};
    };
    const auto every_round = [](NodeId, Round round) { return round; };
    const Job job = test::broadcast_by(
        std::make_shared<test::MadeTimetable>(std::numeric_limits<Round>::max() - 1, first_of_many, every_round),
        test::machine("line:3"), 1, 2);
    const std::string refusal = test::report_of(job, {});
    EXPECT_THAT(refusal, testing::HasSubstr("empty lines"));
    EXPECT_EQ(test::report_of(test::as_programs(job), {}), refusal);
}

// ------------------------------------------------------------------------------------------------------ what chooses them

/// How the nodes of a lawful run are executed where something is asked or ruled besides.
TEST(AFastPathIsChosen, WhereNothingButALawfulRunShows) {
    const auto timetable = std::make_shared<test::DrawnTimetable>(*test::machine("hypercube:3").topology, 4, 0, 0, 1);
    const Job by_timetable = test::broadcast_by(timetable, test::machine("hypercube:3"), 0, 4);
    const Job scatter = splitting(test::machine("hypercube:3"), no_node, {});
    const auto chosen = [](Job job, const Demands& demands, const std::function<void(Job&)>& change) {
        change(job);
        return choose_execution(job, demands);
    };
    const auto same = [](Job&) {};
    const auto splits = [&](const Demands& demands, const std::function<void(Job&)>& change) {
        return chosen(scatter, demands, change).nodes == Execution::splitting;
    };
    const auto is_brief = [&](const Demands& demands, const std::function<void(Job&)>& change) {
        return chosen(by_timetable, demands, change).is_brief;
    };
    EXPECT_TRUE(splits({}, same));
    EXPECT_TRUE(is_brief({}, same));
    EXPECT_TRUE(is_brief({}, [](Job& job) { job.payload = false; }));
    for (const Demands& demands :
         {Demands{.is_recorded = true}, Demands{.has_ranks = true}, Demands{.explains = true}}) {
        EXPECT_FALSE(splits(demands, same));
        EXPECT_FALSE(is_brief(demands, same));
    }
    const auto neither = [&](const std::function<void(Job&)>& change) {
        EXPECT_FALSE(splits({}, change));
        EXPECT_FALSE(is_brief({}, change));
    };
    neither([](Job& job) { job = test::as_programs(job); });
    neither([](Job& job) { job.machine.duplex = Duplex::half; });
    neither([](Job& job) { job.machine.switching = Switching::wormhole; });
    neither([](Job& job) { job.machine.noho = Noho::strict; });
    neither([](Job& job) { job.collective.packet_bytes = 0; });
    EXPECT_FALSE(splits({}, [](Job& job) { job.payload = false; })) << "nothing shows what was passed on";
    EXPECT_FALSE(is_brief({}, [](Job& job) { job.collective.packets_each = 1; }));
    EXPECT_FALSE(is_brief({}, [](Job& job) { job.machine.ports = PortLimit(2); }));
}

// ------------------------------------------------------------------------------------------------------------- of values

/// How often a scan along the dimensions of a hypercube folds two values: each fold is made twice, the second time for its checksum.
std::uint64_t folds_of_a_scan(Port dimensions, bool by_programs) {
    const auto made = std::make_shared<std::atomic<std::uint64_t>>(0);
    const auto counted = sets(
        [made](std::int64_t left, std::int64_t right) {
            ++*made;
            return left | right;
        },
        true);
    const auto made_by = [&](std::vector<Port> ports) {
        const Job job =
            exchange(ports, test::machine(fmt::format("hypercube:{}", dimensions)), counted, Collective::scan(8));
        *made = 0;
        (void)run_lockstep(by_programs ? test::as_programs(job) : job, {});
        return made->load();
    };
    std::vector<Port> ports(dimensions);
    std::iota(ports.begin(), ports.end(), 0);
    return (made_by(ports) - made_by({})) / 2;  // without the claims of the operator, and the results by themselves
}

TEST(AnExchange, OfAScanFoldsWhatIsSentOnAndResults) {
    EXPECT_EQ(folds_of_a_scan(1, false), 1U) << "what came last is not sent on";
    EXPECT_EQ(folds_of_a_scan(2, false), 4U + 2 + 2);
    EXPECT_EQ(folds_of_a_scan(3, false), 8U + 8 + 3 * 4);
}

TEST(AProgramOfAScan, FoldsOnceWhatIsSentOnAndItsResultSoFar) {
    EXPECT_EQ(folds_of_a_scan(1, true), 1U);
    EXPECT_EQ(folds_of_a_scan(2, true), 4U + 2);
    EXPECT_EQ(folds_of_a_scan(3, true), 8U + (8 + 2) + 4);
}

/// A bit changes once, while four contributions are folded.
TEST(AValue, ThatIsNotWhatItWasIsLeftToPrograms) {
    const auto moody = [](bool commutes) {
        return sets(
            [has_erred = std::make_shared<bool>(false)](std::int64_t left, std::int64_t right) {
                const bool errs = std::popcount(static_cast<std::uint64_t>(left | right) >> first_bit) == 4 &&
                                  !std::exchange(*has_erred, true);
                return left | right | (errs ? 1 << 20 : 0);
            },
            commutes);
    };
    for (const Job& job : {exchange({0, 1, 2}, test::machine("hypercube:3"), moody(false)),
                           relay(test::RelayText::lawful(6), test::machine("ring:6"), moody(true), 6)}) {
        const RunResult result = run_lockstep(job, {});
        EXPECT_TRUE(result.executions.contains(Execution::programs));
        EXPECT_TRUE(result.verdict.lawful()) << "it does not change again";
    }
}

TEST(AnExchange, WithoutAnEndIsOutOfRounds) {
    for (const Round max_rounds : {4U, 1000U}) {
        const std::string report = expect_one_verdict(
            [&] {
                return of_values(test::machine("hypercube:2"), Collective::allreduce(8),
                                 program_of<test::MadeExchange>(std::numeric_limits<unsigned>::max(), [](unsigned) {
                                     return ValueExchange::Ports{0, 0};
                                 }));
            },
            fmt::format("{} rounds", max_rounds), max_rounds);
        EXPECT_EQ(report, "out of rounds") << max_rounds;
    }
}

TEST(AForwarding, SendsAsManyPacketsAsItsCollectiveHas) {
    for (const std::uint64_t packets : {1U, 2U, 5U}) {
        const std::string report = expect_one_verdict(
            [&] {
                Job job = of_packets(test::machine("line:5"), with(Collective::broadcast(0, 8), packets));
                job.program = program_of<test::MadeForwarding>(
                    job.collective, [](NodeId v, Port) { return v < 4 ? test::rightwards : no_port; },
                    [](NodeId, Port) { return no_port; });
                return job;
            },
            fmt::format("{} packets", packets));
        EXPECT_THAT(report, testing::HasSubstr("delivered true"));
    }
}

// --------------------------------------------------------------------------------------------------- rounds without an end

TEST(AProgram, ThatWaitsForARoundBehindAllRoundsIsOutOfRoundsInEveryExecution) {
    for (const Round round : {std::numeric_limits<Round>::max(), std::numeric_limits<Round>::max() - 1, Round{1000}}) {
        const std::string report = expect_one_verdict(
            [&] {
                return of_values(test::machine("line:3"), Collective::none(), [round](Node& self) -> Program {
                    return [](Node& node, Round too_far) -> Program {
                        co_await node.until(too_far);
                        const Data data(node.id());
                        co_await node.send(node.id() == 0 ? test::rightwards : test::leftwards, data);
                    }(self, round);
                });
            },
            fmt::format("round {}", round));
        EXPECT_EQ(report, "out of rounds");
    }
}

TEST(ARun, HasAtMostSoManyRoundsAsRoundNumbersCount) {
    const Job job = of_values(test::machine("line:2"), Collective::none(), [](Node&) -> Program { co_return; });
    RunOptions options;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        options.engine = engine;
        options.max_rounds = max_rounds_max;
        EXPECT_NO_THROW((void)run(job, options));
        options.max_rounds = max_rounds_max + 1;
        EXPECT_THROW((void)run(job, options), RequestError);
    }
}

}  // namespace
}  // namespace kport
