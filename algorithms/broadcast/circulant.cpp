/// @file circulant.cpp   Traff's round-optimal broadcast of M packets on the complete graph (model.md section 13.2).
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

/// Says which packet comes to which node in which round. Round i of the schedule, counted from z = (1 - M) mod q so
/// that the last one ends a group, is round e = i mod q of a group; a table's entry for e is meant i - e blocks later,
/// and block z is packet 0.
class Circulant {
  public:
    Circulant(NodeId nodes, const Collective& collective)
        : schedule_(nodes), m_(static_cast<std::int64_t>(collective.packets_each)), source_(collective.root) {
        const std::int64_t q = schedule_.rounds();
        z_ = q == 0 ? 0 : (q - (m_ - 1) % q) % q;
    }

    /// A link from a position to the one `skip` ahead, in the rounds e of the groups.
    struct Link {
        NodeId peer = 0;
        std::int64_t block = 0;     ///< entry of the receiver's table for round e
        std::int64_t last = 0;      ///< the round in which the receiver gets the last packet
        std::int64_t packets = 0;   ///< M
        std::int64_t offset = 0;    ///< z
        std::int64_t in_group = 0;  ///< e
        [[nodiscard]] std::optional<PacketId> packet(Round round) const {
            const std::int64_t i = offset + round - 1;
            const std::int64_t number = block + (i - in_group) - offset;
            if (number < 0 || (number >= packets - 1 && i != last)) return std::nullopt;
            return static_cast<PacketId>(std::min(number, packets - 1));
        }
    };
    struct At {
        std::vector<Link> in;
        std::vector<Link> out;
        std::int64_t offset = 0;
        Round last = 0;
        [[nodiscard]] std::array<Link, 1> links_in(Round round) const { return {of(in, round)}; }
        [[nodiscard]] std::array<Link, 1> links_out(Round round) const { return {of(out, round)}; }
        [[nodiscard]] Round next(Round round) const { return round <= last ? round : no_round; }
        [[nodiscard]] Link of(const std::vector<Link>& links, Round round) const {
            return links[static_cast<std::size_t>(offset + round - 1) % links.size()];
        }
    };
    [[nodiscard]] At at(NodeId v) const {
        const NodeId nodes = schedule_.nodes();
        const std::uint32_t q = schedule_.rounds();
        At at;
        at.offset = z_;
        at.last = q == 0 ? 0 : static_cast<Round>(m_ - 1 + q);
        const NodeId x = (v + nodes - source_) % nodes;
        const std::vector<std::int64_t> own = schedule_.table(x);
        for (std::uint32_t e = 0; e < q; ++e) {
            const NodeId skip = schedule_.skip(e);
            at.in.push_back(link((v + nodes - skip) % nodes, x, own, e));
            const NodeId y = (x + skip) % nodes;
            at.out.push_back(link((v + skip) % nodes, y, schedule_.table(y), e));
        }
        return at;
    }

  private:
    [[nodiscard]] Link link(NodeId peer, NodeId receiver, const std::vector<std::int64_t>& table,
                            std::uint32_t e) const {
        constexpr std::int64_t never = INT64_MIN;  // the source receives nothing
        if (receiver == 0) return {peer, never / 2, never, m_, z_, e};
        return {peer, table[e], last_round(table), m_, z_, e};
    }
    /// Returns the first round in which a table asks for packet M - 1 or a later one.
    [[nodiscard]] std::int64_t last_round(const std::vector<std::int64_t>& table) const {
        const auto q = static_cast<std::int64_t>(table.size());
        std::int64_t i = z_;
        while (table[static_cast<std::size_t>(i % q)] + (i - i % q) - z_ < m_ - 1)
            i += i + q < m_ - 1 ? (m_ - 1 - i) / q * q : 1;
        return i;
    }

    CirculantSchedule schedule_;
    std::int64_t m_;
    NodeId source_;
    std::int64_t z_;
};

namespace {

/// One-to-all broadcast of M packets on the complete graph.
///
/// Machine   complete graph of N nodes, any N, 1-port, full duplex ports. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     rounds M - 1 + ceil(log2 N), the minimum; work M (N - 1)
/// Idea      In round i every position x sends to x + s and receives from x - s, where s is the skip of i mod q. A table of q
///           entries says which packet; each node searches its own, and those of the nodes to which it sends, in O(log^3 N).
/// Source    Traff, arXiv 2312.11236, 2407.18004; model.md section 13.2
Program broadcast_on_circulant(Node& self, const Circulant& rule) { return broadcast_by_timetable(self, rule); }

std::optional<std::string> misfit_broadcast_circulant(const Machine& machine, const Collective& collective,
                                                      const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_one_port(machine), needs_stream(machine, collective),
                     needs_both_ways(machine, collective), takes_no_options(options)});
}

Start make_broadcast_circulant(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return start_of_timetable([rule = Circulant(machine.topology->nodes(), collective)](
                                  Node& self) { return broadcast_on_circulant(self, rule); },
                              collective.root);
}

ExpectedCost expect_broadcast_circulant(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const std::uint64_t q = ceil_log2(machine.topology->nodes());
    const std::uint64_t m = collective.packets_each;
    return single_packet_cost(machine, collective, m - 1 + q,
                              {fmt::format("a packet a round leaves the source, the last of {} in round {}; the last "
                                           "round is ceil(log2 {}) = {} later: {} - 1 + {} = {}",
                                           m, m, machine.topology->nodes(), q, m, q, counted(m - 1 + q, "round"))});
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_circulant() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "circulant",
            .rule = "in round i send to the node s ahead, s the skip of i mod L(N): a table of L(N) entries a node "
                    "says what",
            .needs = "complete graph, any N, SF or WH, 1-port, full duplex, not pairwise",
            .cost = "M-1+L(N) rounds, the minimum",
            .source = "Traff 2312.11236, 2407.18004; model section 13.2",
            .misfit = misfit_broadcast_circulant,
            .make = make_broadcast_circulant,
            .expect = expect_broadcast_circulant,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
