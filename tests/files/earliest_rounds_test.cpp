/// @file earliest_rounds_test.cpp   Rounds for messages of which only the order is known: lawful on every machine, and early.
#include "app/files/earliest_rounds.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {
namespace {

Machine machine_on(const std::string& spec) {
    Machine machine;
    machine.topology = make_topology(spec);
    return machine;
}

LooseMessage message(const Topology& topology, NodeId from, NodeId to, std::vector<std::uint32_t> after = {}) {
    LooseMessage one{from, to, {}, std::move(after)};
    for (NodeId at = from; at != to; at = topology.across(at, one.route.back()).node)
        one.route.push_back(topology.route(at, to));
    return one;
}

Schedule placed(const std::vector<LooseMessage>& messages, const std::vector<Round>& rounds) {
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rounds[i]; });
    Schedule schedule;
    const PacketSet packets = contents_packets(1);
    for (const std::size_t i : order)
        schedule.add(rounds[i], {messages[i].from, messages[i].to, messages[i].route, packets.blocks()});
    return schedule;
}

/// The auditor alone knows what a machine allows.
RC_GTEST_PROP(EarliestRounds, BreakNoRuleOfAnyMachineAndKeepTheOrder, ()) {
    const std::vector<std::string> specs = {"line:5", "ring:6", "mesh:3x3", "complete:5", "hypercube:3", "star:5"};
    Machine machine = machine_on(specs[*rc::gen::inRange<std::size_t>(0, specs.size())]);
    const auto k = *rc::gen::inRange<Port>(1, 5);
    machine.ports = k == 4 ? PortLimit::all() : PortLimit(k);
    machine.duplex = *rc::gen::arbitrary<bool>() ? Duplex::half : Duplex::full;
    machine.links = *rc::gen::arbitrary<bool>() ? Duplex::half : Duplex::full;
    machine.pairwise = *rc::gen::arbitrary<bool>();
    const bool wormhole = *rc::gen::arbitrary<bool>();
    machine.switching = wormhole ? Switching::wormhole : Switching::store_and_forward;
    const Topology& topology = *machine.topology;
    std::vector<LooseMessage> messages;
    const auto count = *rc::gen::inRange<std::uint32_t>(1, 30);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto from = *rc::gen::inRange<NodeId>(0, topology.nodes());
        NodeId to = *rc::gen::inRange<NodeId>(0, topology.nodes());
        if (!wormhole) {
            const auto first = *rc::gen::inRange<Port>(0, topology.ports());
            for (Port p = 0; p < topology.ports(); ++p)
                if (const NodeId w = topology.across(from, (first + p) % topology.ports()).node; w != no_node) to = w;
        }
        if (to == from) to = (from + 1) % topology.nodes();
        std::vector<std::uint32_t> after;
        if (i > 0 && *rc::gen::arbitrary<bool>()) after.push_back(*rc::gen::inRange<std::uint32_t>(0, i));
        messages.push_back(message(topology, from, to, after));
        if (!wormhole && messages.back().route.size() > 1) messages.pop_back();
        if (messages.size() <= i) break;
    }
    const std::vector<Round> rounds = earliest_rounds(messages, machine).rounds;
    for (std::size_t i = 0; i < messages.size(); ++i)
        for (const std::uint32_t before : messages[i].after) RC_ASSERT(rounds[i] > rounds[before]);
    const Schedule schedule = placed(messages, rounds);
    const Verdict verdict = audit(schedule, machine, Collective::none(), false);
    for (const Violation& violation : verdict.violations) RC_ASSERT(violation.rule() == Rule::rounds);
}

TEST(EarliestRounds, AreTheFirstInWhichPortsChannelsLinksAndPartnersAreFree) {
    Machine machine = machine_on("ring:4");
    const Topology& ring = *machine.topology;
    const auto last = [&](const std::vector<LooseMessage>& messages) {
        const std::vector<Round> rounds = earliest_rounds(messages, machine).rounds;
        return *std::ranges::max_element(rounds);
    };
    const std::vector<LooseMessage> both_ways = {message(ring, 0, 1), message(ring, 1, 0)};
    const std::vector<LooseMessage> round_about = {message(ring, 0, 1), message(ring, 1, 2)};
    const std::vector<LooseMessage> twice = {message(ring, 0, 1), message(ring, 0, 1)};
    EXPECT_EQ(last(both_ways), 1U);
    EXPECT_EQ(last(round_about), 1U);
    machine.pairwise = true;
    EXPECT_EQ(last(both_ways), 1U);
    EXPECT_EQ(last(round_about), 2U);
    machine.pairwise = false;
    machine.links = Duplex::half;
    EXPECT_EQ(last(both_ways), 2U);
    EXPECT_EQ(last(round_about), 1U);
    machine.links = Duplex::full;
    machine.duplex = Duplex::half;
    EXPECT_EQ(last(round_about), 2U);
    machine.duplex = Duplex::full;
    machine.ports = PortLimit::all();
    EXPECT_EQ(last(twice), 2U);
    EXPECT_EQ(last({message(ring, 0, 1), message(ring, 0, 3)}), 1U);
}

/// The binomial broadcast, each rank's sends nearest first in the list.
std::vector<LooseMessage> binomial(const Topology& topology) {
    std::vector<LooseMessage> messages;
    std::vector<std::uint32_t> received(topology.nodes(), 0);
    for (NodeId from = 0; from < topology.nodes(); ++from)
        for (NodeId d = 1; from + d < topology.nodes() && from % (2 * d) == 0; d *= 2) {
            messages.push_back(message(topology, from, from + d));
            received[from + d] = static_cast<std::uint32_t>(messages.size() - 1);
        }
    for (LooseMessage& one : messages)
        if (one.from != 0) one.after = {received[one.from]};
    return messages;
}

TEST(EarliestRounds, OfABinomialBroadcastAreTheLeastInWhateverOrderItIsListed) {
    for (const auto& [nodes, rounds] : {std::pair{8, 3U}, {256, 8U}}) {
        const Machine machine = machine_on("complete:" + std::to_string(nodes));
        std::vector<LooseMessage> messages = binomial(*machine.topology);
        const EarliestRounds found = earliest_rounds(messages, machine);
        EXPECT_EQ(found.last, rounds);
        EXPECT_EQ(found.least, rounds);
        EXPECT_EQ(found.binding, "critical path");
    }
}

TEST(EarliestRounds, NameThePortThatBinds) {
    const Machine machine = machine_on("complete:4");
    const Topology& topology = *machine.topology;
    const auto binding = [&](const std::vector<LooseMessage>& messages) {
        return earliest_rounds(messages, machine).binding;
    };
    EXPECT_EQ(binding({message(topology, 0, 1), message(topology, 0, 2)}), "send port of rank 0");
    EXPECT_EQ(binding({message(topology, 0, 3), message(topology, 1, 3)}), "receive port of rank 3");
}

TEST(EarliestRounds, LetAMessageGoInTheRoundOfOneThatItMustNotPrecede) {
    const Machine machine = machine_on("complete:4");
    std::vector<LooseMessage> messages = {message(*machine.topology, 0, 1), message(*machine.topology, 2, 3)};
    messages[1].not_before = {0};
    EXPECT_EQ(earliest_rounds(messages, machine).last, 1U);
    messages[1].not_before = {};
    messages[1].after = {0};
    EXPECT_EQ(earliest_rounds(messages, machine).last, 2U);
}

/// Whether so many rounds are enough, by trying all rounds for each message.
bool fits_by_brute_force(const std::vector<LooseMessage>& messages, const Machine& machine, Round most,
                         std::vector<Round>& rounds) {
    const std::size_t i = rounds.size();
    if (i == messages.size()) {
        const Verdict verdict = audit(placed(messages, rounds), machine, Collective::none(), false);
        return std::ranges::all_of(verdict.violations, [](const Violation& one) { return one.rule() == Rule::rounds; });
    }
    for (Round round = 1; round <= most; ++round) {
        if (!std::ranges::all_of(messages[i].after, [&](std::uint32_t before) { return rounds[before] < round; }))
            continue;
        rounds.push_back(round);
        if (fits_by_brute_force(messages, machine, most, rounds)) return true;
        rounds.pop_back();
    }
    return false;
}

RC_GTEST_PROP(EarliestRounds, OfFewMessagesAreTheLeastThatBruteForceFinds, ()) {
    Machine machine = machine_on("complete:4");
    machine.duplex = *rc::gen::arbitrary<bool>() ? Duplex::half : Duplex::full;
    machine.pairwise = *rc::gen::arbitrary<bool>();
    std::vector<LooseMessage> messages;
    const auto count = *rc::gen::inRange<std::uint32_t>(1, 7);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto from = *rc::gen::inRange<NodeId>(0, 4);
        std::vector<std::uint32_t> after;
        if (i > 0 && *rc::gen::arbitrary<bool>()) after.push_back(*rc::gen::inRange<std::uint32_t>(0, i));
        messages.push_back(message(*machine.topology, from, (from + *rc::gen::inRange<NodeId>(1, 4)) % 4, after));
    }
    const EarliestRounds found = earliest_rounds(messages, machine);
    RC_ASSERT(found.last == found.least);
    std::vector<Round> rounds;
    RC_ASSERT(fits_by_brute_force(messages, machine, found.last, rounds));
    rounds.clear();
    RC_ASSERT(found.last == 1 || !fits_by_brute_force(messages, machine, found.last - 1, rounds));
}

TEST(EarliestRounds, RefuseMessagesThatWaitForEachOther) {
    const Machine machine = machine_on("line:2");
    EXPECT_THROW(
        (void)earliest_rounds({message(*machine.topology, 0, 1, {1}), message(*machine.topology, 1, 0, {0})}, machine),
        RequestError);
}

}  // namespace
}  // namespace kport
