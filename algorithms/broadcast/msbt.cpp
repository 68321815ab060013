/// @file msbt.cpp   Pipelined broadcast along the edge-disjoint spanning binomial trees of the hypercube (model.md
///                  section 13.2).
#include <bit>
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/disjoint_trees.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/timetable.hpp"

namespace kport {

namespace {

/// One-to-all broadcast of M packets on the hypercube.
///
/// Machine   hypercube of 2^n nodes, 1-port, full duplex ports and links; all-port. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     1-port: rounds M - 1 + n; all-port: ceil(M / n) - 1 + n; both the minimum. Work M (N - 1)
/// Idea      Each packet takes one of n spanning binomial trees, which share no channel, the next packet the next tree. With
///           one port all nodes use dimension t mod n in round t, counted from 0, and the last packet goes wherever it is lacking
///           (Msbt). With all ports they are the trees of edge-disjoint-trees on the mesh 2 x 2 x ... x 2.
/// Source    Johnsson, Ho, IEEE TC 38(9) 1989; the last packet after Traff, Ripke, JPDC 2008; model.md section 13.2
class Msbt final : public Timetable {
  public:
    Msbt(int dimensions, const Collective& collective)
        : n_(static_cast<std::uint32_t>(dimensions)), m_(static_cast<std::int64_t>(collective.packets_each)),
          source_(collective.root) {}

    [[nodiscard]] Round first(NodeId) const override { return 1; }
    [[nodiscard]] Round last(NodeId) const override { return n_ == 0 ? 0 : static_cast<Round>(m_ - 1 + n_); }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        const std::uint32_t d = (round - 1) % n_;
        const NodeId partner = v ^ (NodeId{1} << d);
        TimetableLine line;
        if (const std::int64_t c = packet(partner, round - 1, d); c >= 0) {
            line.to = partner;
            line.packet = static_cast<PacketId>(c);
        }
        if (packet(v, round - 1, d) >= 0) line.from = partner;
        return line;
    }

  private:
    /// Returns what position x gets over dimension d = t mod n in round t: below 0 nothing, from M - 1 on the last
    /// packet.
    [[nodiscard]] std::int64_t number(NodeId x, std::int64_t t, std::uint32_t d) const {
        if ((x >> d & 1) == 0) return t - n_;
        // The least g >= 1 with bit (d + g) mod n set.
        const NodeId above = x >> (d + 1);
        const std::int64_t g = above != 0 ? std::countr_zero(above) + 1 : std::int64_t{n_} - d + std::countr_zero(x);
        return t - n_ + g;
    }
    /// Computed on first use.
    [[nodiscard]] bool brings_last(NodeId x, std::int64_t t) const {
        for (std::int64_t earlier = m_ - 1; earlier < t; ++earlier)
            if (number(x, earlier, static_cast<std::uint32_t>(earlier % n_)) >= m_ - 1) return false;
        return true;
    }
    /// Returns what comes to node v in round t over dimension d; below 0: nothing.
    [[nodiscard]] std::int64_t packet(NodeId v, std::int64_t t, std::uint32_t d) const {
        const NodeId x = v ^ source_;
        if (x == 0) return -1;
        const std::int64_t c = number(x, t, d);
        if (c < m_ - 1) return c;
        return brings_last(x, t) ? m_ - 1 : -1;
    }

    std::uint32_t n_;
    std::int64_t m_;
    NodeId source_;
};

bool one_port(const Machine& machine) { return !needs_one_port(machine); }

std::optional<std::string> misfit_broadcast_msbt(const Machine& machine, const Collective& collective,
                                                 const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_both_ways(machine, collective),
                     unless(one_port(machine) || !needs_all_ports(machine), "needs one port or all"),
                     takes_no_options(options)});
}

Start make_broadcast_msbt(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Hypercube& cube = *as_hypercube(machine);
    if (!one_port(machine)) return broadcast_along(MeshTrees(Lattice(cube), collective), collective.root);
    return start_of_timetable(PlanProgram(std::make_shared<Msbt>(cube.dimensions(), collective)), collective.root);
}

ExpectedCost expect_broadcast_msbt(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t waves = one_port(machine) || n == 0 ? m : (m + n - 1) / n;
    const std::uint64_t rounds = waves - 1 + n;
    return single_packet_cost(
        machine, collective, rounds,
        {one_port(machine)
             ? fmt::format("a packet a round leaves the source, the last of {} in round {}, and takes {}", m, m,
                           counted(n, "round"))
             : fmt::format("{} a round leave the source along {} trees, the last in round {}, and take {}",
                           counted(n, "packet"), n, waves, counted(n, "round")),
         fmt::format("so {} - 1 + {} = {}", waves, n, counted(rounds, "round"))});
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_msbt() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "msbt",
            .rule = "edge-disjoint spanning binomial trees: the packets take n trees in turn, which share no channel",
            .needs = "hypercube, SF or WH, 1-port or all-port, full duplex ports and links",
            .cost = "one port: M-1+n rounds; all ports: ceil(M/n)-1+n rounds; both the minimum",
            .source = "Johnsson, Ho 1989; Traff, Ripke 2008; model section 13.2",
            .misfit = misfit_broadcast_msbt,
            .make = make_broadcast_msbt,
            .expect = expect_broadcast_msbt,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
