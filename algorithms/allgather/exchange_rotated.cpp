/// @file exchange_rotated.cpp   All-to-all broadcast on the hypercube through all ports: n exchanges at once, each rotated.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on the hypercube through all ports.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, all ports, full duplex ports and links, combining
/// Gives     every node holds all packets
/// Costs     rounds n, work N n min(n, M), volume ceil(M / n) (N - 1) packets
/// Idea      Each block is cut into n parts; part i goes by exchange across the dimensions i, i+1, ... (modulo n), all parts
///           at once: in every round each part has a dimension of its own.
/// Source    Ho, Johnsson 1986; Sack, Gropp 2015 on tori
class RotatedExchange final : public Steps {
  public:
    explicit RotatedExchange(const Hypercube& cube) : n_(static_cast<std::uint64_t>(cube.dimensions())) {}

    [[nodiscard]] std::uint64_t count() const override { return n_; }
    [[nodiscard]] std::uint64_t parts() const override { return std::max<std::uint64_t>(n_, 1); }
    [[nodiscard]] std::uint64_t ways(std::uint64_t) const override { return n_; }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t part, NodeId v) const override {
        return v ^ (NodeId{1} << ((part + step) % n_));
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t part, NodeId v) const override {
        return to(step, part, v);
    }
    /// Returns the nodes that differ from a node only in the dimensions of the earlier steps: a window that may wrap
    /// around.
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t part, NodeId v) const override {
        const std::uint64_t end = part + step;
        const std::uint64_t above = end <= n_ ? step : n_ - part;  // dimensions from `part` on
        // nodes that differ in the other dimensions, from 0 on
        const NodeId below = NodeId{1} << (step - above);
        const NodeId stride = NodeId{1} << part;
        const NodeId first = v & ~(((NodeId{1} << above) - 1) << part) & ~(below - 1);
        PacketBlocks all;
        if (below <= NodeId{1} << above)
            for (NodeId i = 0; i < below; ++i) all.push_back(some_blocks(first + i, stride, NodeId{1} << above, part));
        else
            for (NodeId i = 0; i < NodeId{1} << above; ++i)
                all.push_back(some_blocks(first + i * stride, 1, below, part));
        return all;
    }

  private:
    std::uint64_t n_;
};

std::shared_ptr<const Steps> rotated_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return std::make_shared<const RotatedExchange>(*as_hypercube(machine));
}

std::optional<std::string> misfit_allgather_exchange_rotated(const Machine& machine, const Collective&,
                                                             const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_all_ports(machine), needs_full_duplex(machine),
                     needs_full_links(machine), needs_combining(machine), needs_table(machine),
                     takes_no_options(options)});
}

ExpectedCost expect_allgather_exchange_rotated(const Machine& machine, const Collective& collective,
                                               const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t parts = std::min(n, m);  // non-empty parts
    const std::uint64_t largest = n == 0 ? 0 : (m + n - 1) / n;
    return {n,
            nodes * n * parts,
            n,
            largest * (nodes - 1),
            {fmt::format("{} of each node's {} go across as many dimensions at once: {}", counted(n, "part"),
                         counted(m, "packet"), counted(n, "round")),
             fmt::format("a message a node, round and part with packets, over one link: work {} * {} * {} = {}", nodes,
                         n, parts, nodes * n * parts),
             fmt::format(
                 "the bundles of each part double, and the largest part has {} of the {} packets: volume {} * {} = {}",
                 largest, m, largest, nodes - 1, counted(largest * (nodes - 1), "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_exchange_rotated() {
    return by_steps<rotated_exchange, misfit_allgather_exchange_rotated, expect_allgather_exchange_rotated>(
        {
            .operation = Operation::allgather,
            .name = "exchange-rotated",
            .rule = "each block in n parts, part i by exchange across the dimensions i, i+1, ... (mod n), all at once",
            .needs = "hypercube, SF or WH, all ports, full duplex ports and links, not pairwise, combining",
            .cost = "n rounds, volume ceil(M/n) (N-1) packets",
            .source = "Ho, Johnsson 1986; Sack, Gropp 2015 on tori",
            .misfit = misfit_allgather_exchange_rotated,
            .make = gather_by<rotated_exchange>,
            .expect = expect_allgather_exchange_rotated,
            .with_many = WithMany::own,
        },
        {.allreduce = "halving-doubling-rotated"});
}

}  // namespace kport
