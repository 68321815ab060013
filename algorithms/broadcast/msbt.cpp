/// @file msbt.cpp   Pipelined broadcast along the edge-disjoint spanning binomial trees of the hypercube (long-messages.md
///                  section 4.1).
#include <array>
#include <bit>
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/disjoint_trees.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/timetable.hpp"

namespace kport {

/// Which packet comes to which node when, with one port: in round t, counted from 0, all nodes use dimension t mod n.
class Msbt {
  public:
    Msbt(int dimensions, const Collective& collective)
        : n_(dimensions), m_(static_cast<std::int64_t>(collective.packets_each)), source_(collective.root) {}

    struct Link {
        const Msbt& rule;
        NodeId peer;
        NodeId receiver;
        [[nodiscard]] std::optional<PacketId> packet(Round round) const { return rule.packet(receiver, round - 1); }
    };
    struct At {
        const Msbt& rule;
        NodeId v;
        Round last;
        Round first = 1;
        [[nodiscard]] std::array<Link, 1> links_in(Round round) const { return {{{rule, partner(round), v}}}; }
        [[nodiscard]] std::array<Link, 1> links_out(Round round) const {
            return {{{rule, partner(round), partner(round)}}};
        }
        [[nodiscard]] NodeId partner(Round round) const {
            return v ^ (NodeId{1} << ((round - 1) % static_cast<Round>(rule.n_)));
        }
    };
    [[nodiscard]] At at(NodeId v) const { return {*this, v, n_ == 0 ? 0 : static_cast<Round>(m_ - 1 + n_)}; }

  private:
    /// What position x is to get in round t: below 0 nothing, from M - 1 on the last packet.
    [[nodiscard]] std::int64_t number(NodeId x, std::int64_t t) const {
        const auto d = static_cast<int>(t % n_);
        if ((x >> d & 1) == 0) return t - n_;
        // The least g >= 1 for which bit (d + g) mod n is set.
        const NodeId above = x >> (d + 1);
        const int g = above != 0 ? std::countr_zero(above) + 1 : n_ - d + std::countr_zero(x);
        return t - n_ + g;
    }
    /// Only once: when it is asked for first.
    [[nodiscard]] bool brings_last(NodeId x, std::int64_t t) const {
        for (std::int64_t earlier = m_ - 1; earlier < t; ++earlier)
            if (number(x, earlier) >= m_ - 1) return false;
        return true;
    }
    [[nodiscard]] std::optional<PacketId> packet(NodeId v, std::int64_t t) const {
        const NodeId x = v ^ source_;
        if (x == 0) return std::nullopt;
        const std::int64_t c = number(x, t);
        if (c < 0) return std::nullopt;
        if (c < m_ - 1) return static_cast<PacketId>(c);
        return brings_last(x, t) ? std::optional(static_cast<PacketId>(m_ - 1)) : std::nullopt;
    }

    int n_;
    std::int64_t m_;
    NodeId source_;
};

namespace {

/// One-to-all broadcast of M packets on the hypercube.
///
/// Machine   hypercube of 2^n nodes, 1-port, full duplex ports and links; all-port. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     1-port: rounds M - 1 + n; all-port: ceil(M / n) - 1 + n; both the minimum. Work M (N - 1)
/// Idea      Each packet takes one of n spanning binomial trees, which share no channel, the next packet the next tree. With
///           one port all nodes use dimension t mod n in round t, and the last packet goes wherever it is lacking. With all
///           ports they are the trees of edge-disjoint-trees on the mesh 2 x 2 x ... x 2.
/// Source    Johnsson, Ho, IEEE TC 38(9) 1989; the last packet after Traff, Ripke, JPDC 2008; long-messages.md section 4.1
Program broadcast_along_msbt(Node& self, const Msbt& rule) { return broadcast_by_timetable(self, rule); }

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
    return {[topology = machine.topology, rule = Msbt(cube.dimensions(), collective)](Node& self) {
                return broadcast_along_msbt(self, rule);
            },
            {collective.root}};
}

ExpectedCost expect_broadcast_msbt(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t waves = one_port(machine) || n == 0 ? m : (m + n - 1) / n;
    const std::uint64_t rounds = waves - 1 + n;
    return single_packet_cost(
        machine, collective, rounds,
        {one_port(machine)
             ? fmt::format("a packet a round leaves the source, the last of {} in round {}, and takes {} rounds", m, m,
                           n)
             : fmt::format(
                   "{} packets a round leave the source along {} trees, the last in round {}, and take {} rounds", n, n,
                   waves, n),
         fmt::format("so {} - 1 + {} = {} rounds", waves, n, rounds)});
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
            .source = "Johnsson, Ho 1989; Traff, Ripke 2008; long-messages section 4.1",
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
