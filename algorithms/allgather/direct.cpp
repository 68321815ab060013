/// @file direct.cpp   All-to-all broadcast and scatter on the complete graph: every node sends to every other (model.md
///                    section 7).
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The sends of a node, in order: to the nodes 1, 2, ..., N - 1 numbers after it, repeated for each further message.
/// Any k consecutive sends go to different nodes, since k < N.
class DirectSends {
  public:
    DirectSends(NodeId nodes, Port ports, std::uint64_t messages)
        : nodes_(nodes), ports_(ports), sends_(messages * (nodes - 1)) {}

    [[nodiscard]] std::uint64_t rounds() const { return ports_ == 0 ? 0 : (sends_ + ports_ - 1) / ports_; }
    [[nodiscard]] std::uint64_t in_round(std::uint64_t round) const {
        return std::min<std::uint64_t>(ports_, sends_ - round * ports_);
    }
    /// Returns the distance from sender to receiver of a round's i-th send, and the index of the message, from 0.
    [[nodiscard]] NodeId distance(std::uint64_t round, std::uint64_t i) const {
        return 1 + (round * ports_ + i) % (nodes_ - 1);
    }
    [[nodiscard]] std::uint64_t message(std::uint64_t round, std::uint64_t i) const {
        return (round * ports_ + i) / (nodes_ - 1);
    }
    [[nodiscard]] NodeId after(NodeId v, NodeId distance) const {
        return v + distance < nodes_ ? v + distance : v + distance - nodes_;
    }
    /// Returns the round in which a node sends its message of that index to another.
    [[nodiscard]] std::uint64_t round_of(NodeId from, NodeId to, std::uint64_t message) const {
        const NodeId distance = after(to, nodes_ - from);
        return (message * (nodes_ - 1) + distance - 1) / ports_;
    }
    [[nodiscard]] NodeId before(NodeId v, NodeId distance) const { return after(v, nodes_ - distance); }

  private:
    NodeId nodes_;
    Port ports_;
    std::uint64_t sends_;
};

/// All-to-all broadcast on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports; full duplex links
///           unless N is odd and k divides (N - 1) / 2
/// Gives     every node holds all packets
/// Costs     rounds ceil((N - 1) / k), work N (N - 1), volume as many packets as rounds; without combining ceil(M (N - 1) / k) rounds
/// Idea      Every node sends what it has to the next node, to the one after it, and so on; no node forwards anything.
/// Source    model.md section 7
class DirectSteps final : public Steps {
  public:
    DirectSteps(NodeId nodes, Port ports, std::uint64_t parts) : sends_(nodes, ports, parts), parts_(parts) {}

    [[nodiscard]] std::uint64_t count() const override { return sends_.rounds(); }
    [[nodiscard]] std::uint64_t parts() const override { return parts_; }
    [[nodiscard]] std::uint64_t ways(std::uint64_t step) const override { return sends_.in_round(step); }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return sends_.after(v, sends_.distance(step, way));
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return sends_.before(v, sends_.distance(step, way));
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return {some_blocks(v, 1, 1, sends_.message(step, way))};
    }
    [[nodiscard]] bool moves_each_block_alone() const override { return true; }
    [[nodiscard]] std::optional<std::vector<std::uint64_t>> steps_with(NodeId v, NodeId block) const override {
        std::vector<std::uint64_t> steps;
        if (v == block)
            for (std::uint64_t step = 0; step < count(); ++step) steps.push_back(step);
        else
            for (std::uint64_t part = 0; part < parts_; ++part) steps.push_back(sends_.round_of(block, v, part));
        return steps;
    }

  private:
    DirectSends sends_;
    std::uint64_t parts_;
};

/// All-to-all scatter: as the all-to-all broadcast, with a separate packet for each receiver.
Program alltoall_directly(Node& self, const DirectSends& sends, bool one_by_one) {
    const std::uint64_t m = self.collective().packets_each;
    const Progression me{static_cast<std::uint32_t>(self.id())};
    for (std::uint64_t round = 0; round < sends.rounds(); ++round) {
        for (std::uint64_t i = 0; i < sends.in_round(round); ++i) {
            const NodeId to = sends.after(self.id(), sends.distance(round, i));
            const Progression target{static_cast<std::uint32_t>(to)};
            const auto row = static_cast<std::uint32_t>(self.id() * m + sends.message(round, i));
            const Progression one{row};
            const PacketSet packets = one_by_one ? PacketSet(block_of(one, target)) : packets_between(me, target, m);
            co_await self.pass_to(to, packets);
        }
        for (std::uint64_t i = 0; i < sends.in_round(round); ++i)
            co_await self.receive_from(sends.before(self.id(), sends.distance(round, i)));
    }
}

std::shared_ptr<const Steps> direct_steps(const Machine& machine, const Collective& collective,
                                          const AlgorithmOptions&) {
    return std::make_shared<const DirectSteps>(machine.topology->nodes(), machine.widest(),
                                               single_parts(machine, collective));
}

/// Half duplex links: two sends of a round, or one with itself, must not have distances that add up to N. Such
/// distances are around the middle of the N - 1, and at the end, where the next N - 1 begin.
std::optional<std::string> needs_links_for_sends(const Machine& machine) {
    const NodeId nodes = machine.topology->nodes();
    const bool apart = nodes % 2 == 1 && (nodes == 1 || (nodes - 1) / 2 % machine.widest() == 0);
    return apart ? std::nullopt : needs_full_links(machine);
}

std::optional<std::string> misfit_direct(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                     needs_links_for_sends(machine), needs_table(machine), takes_no_options(options)});
}

Start make_alltoall_direct(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const bool one_by_one = !machine.combining;
    const DirectSends sends(machine.topology->nodes(), machine.widest(), one_by_one ? collective.packets_each : 1);
    return {[sends, one_by_one](Node& self) { return alltoall_directly(self, sends, one_by_one); }, {}, true};
}

ExpectedCost expect_direct(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t messages = machine.combining ? 1 : m;  // to each node
    const std::uint64_t each = machine.combining ? m : 1;
    const std::uint64_t sends = messages * (nodes - 1);
    const std::uint64_t rounds = DirectSends(nodes, machine.widest(), messages).rounds();
    return {rounds,
            nodes * sends,
            rounds,
            each * rounds,
            {fmt::format("{} a node, {} at once: {}", counted(sends, "message"), machine.widest(),
                         counted(rounds, "round")),
             fmt::format("each over one link: work {} * {} = {}", nodes, sends, nodes * sends),
             fmt::format("every message is {}: volume {}", counted(each, "packet"), counted(each * rounds, "packet"))}};
}

constexpr const char* needs_of_direct =
    "complete graph, any N, SF or WH, any k, full duplex, not pairwise, combining or not";

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_direct() {
    std::vector<Algorithm> rows = by_steps<direct_steps, misfit_direct, expect_direct>(
        {
            .operation = Operation::allgather,
            .name = "direct",
            .rule = "each node sends what it has to the node 1, 2, 3, ... numbers after it",
            .needs = needs_of_direct,
            .cost =
                "ceil((N-1)/k) rounds, work N(N-1), volume as many packets; without combining ceil(M(N-1)/k) rounds",
            .source = "model section 7",
            .misfit = misfit_direct,
            .make = gather_by<direct_steps>,
            .expect = expect_direct,
            .with_many = WithMany::own,
            .single_links = true,
        },
        {.allreduce = "direct"});
    rows.push_back({
        .operation = Operation::alltoall,
        .name = "direct",
        .rule = "each node sends its packet for the node 1, 2, 3, ... numbers after it straight to it",
        .needs = needs_of_direct,
        .cost = "ceil((N-1)/k) rounds, work N(N-1), volume as many packets; without combining ceil(M(N-1)/k) rounds",
        .source = "model section 7",
        .misfit = misfit_direct,
        .make = make_alltoall_direct,
        .expect = expect_direct,
        .with_many = WithMany::own,
        .single_links = true,
    });
    return rows;
}

}  // namespace kport
