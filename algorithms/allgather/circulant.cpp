/// @file circulant.cpp   All-to-all broadcast of M packets each on the complete graph: N circulant broadcasts at once.
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/steps.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports and links, combining
/// Gives     every node holds all packets
/// Costs     rounds M - 1 + L(N), volume M (N - 1) packets
/// Idea      Every node is the source of its own circulant broadcast of M packets, all at once: in round i all send to the node
///           as far ahead, and a message has at most one packet of each source.
/// Source    Traff, arXiv 2407.18004; model.md section 13.3
class CirculantSteps final : public Steps {
  public:
    CirculantSteps(NodeId nodes, std::uint64_t m) : schedule_(nodes), m_(static_cast<std::int64_t>(m)), last_(nodes) {
        const auto q = static_cast<std::int64_t>(schedule_.rounds());
        offset_ = q == 0 ? 0 : (q - (m_ - 1) % q) % q;
        receivers_.resize(static_cast<std::size_t>(q));
        for (NodeId x = 1; x < nodes; ++x) {
            const std::vector<std::int64_t> table = schedule_.table(x);
            for (std::size_t e = 0; e < table.size(); ++e) receivers_[e][table[e]].push_back(x);
            last_[x] = offset_;
            while (packet(table[static_cast<std::size_t>(last_[x] % q)], last_[x]) < m_ - 1) ++last_[x];
        }
    }

    [[nodiscard]] std::uint64_t count() const override {
        return schedule_.rounds() == 0 ? 0 : static_cast<std::uint64_t>(m_ - 1) + schedule_.rounds();
    }
    [[nodiscard]] std::uint64_t parts() const override { return static_cast<std::uint64_t>(m_); }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return (v + skip(step)) % schedule_.nodes();
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return (v + schedule_.nodes() - skip(step)) % schedule_.nodes();
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t, NodeId v) const override {
        const NodeId nodes = schedule_.nodes();
        const NodeId receiver = to(step, 0, v);
        const std::int64_t i = offset_ + static_cast<std::int64_t>(step);
        PacketBlocks all;
        for (const auto& [block, positions] : receivers_[static_cast<std::size_t>(i % schedule_.rounds())]) {
            const std::int64_t number = packet(block, i);
            if (number < 0) continue;
            std::vector<NodeId> sources;
            for (const NodeId x : positions)  // the last packet comes once
                if (number < m_ - 1 || last_[x] == i) sources.push_back((receiver + nodes - x) % nodes);
            std::ranges::sort(sources);
            for (PacketBlock sent : as_progressions(std::move(sources))) {
                sent.row = static_cast<std::uint32_t>(std::min(number, m_ - 1));
                all.push_back(sent);
            }
        }
        return all;
    }

  private:
    [[nodiscard]] NodeId skip(std::uint64_t step) const {
        return schedule_.skip(
            static_cast<std::uint32_t>((static_cast<std::uint64_t>(offset_) + step) % schedule_.rounds()));
    }
    /// Returns what an entry of a table means in round i.
    [[nodiscard]] std::int64_t packet(std::int64_t block, std::int64_t i) const {
        return block + i - i % static_cast<std::int64_t>(schedule_.rounds()) - offset_;
    }

    CirculantSchedule schedule_;
    std::int64_t m_;
    std::int64_t offset_ = 0;         ///< the schedule's round of the first message
    std::vector<std::int64_t> last_;  ///< by position: the round of the last packet
    /// By round of a group and block: the positions whose table has that block.
    std::vector<std::map<std::int64_t, std::vector<NodeId>>> receivers_;
};

std::shared_ptr<const Steps> circulant_steps(const Machine& machine, const Collective& collective,
                                             const AlgorithmOptions&) {
    return std::make_shared<const CirculantSteps>(machine.topology->nodes(), collective.packets_each);
}

std::optional<std::string> misfit_allgather_circulant(const Machine& machine, const Collective&,
                                                      const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                     needs_full_links(machine), needs_combining(machine), needs_table(machine),
                     takes_no_options(options)});
}

ExpectedCost expect_allgather_circulant(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t q = ceil_log2(nodes);
    const std::uint64_t rounds = q == 0 ? 0 : m - 1 + q;
    return {
        rounds,
        nodes * rounds,
        rounds,
        m * (nodes - 1),
        {fmt::format("{} broadcasts of {} at once, of {} - 1 + {} = {} each", nodes, counted(m, "packet"), m, q,
                     counted(rounds, "round")),
         fmt::format("one message a node and round, over one link: work {} * {} = {}", nodes, rounds, nodes * rounds),
         fmt::format("every node receives {} of others, each once, as many as all in a round: volume {}",
                     counted(m * (nodes - 1), "packet"), counted(m * (nodes - 1), "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_circulant() {
    return by_steps<circulant_steps, misfit_allgather_circulant, expect_allgather_circulant>(
        {
            .operation = Operation::allgather,
            .name = "circulant",
            .rule = "every node the source of its own circulant broadcast of M packets, all at once",
            .needs = "complete graph, any N, SF or WH, any k, full duplex ports and links, not pairwise, combining",
            .cost = "M-1+L(N) rounds, volume M(N-1) packets",
            .source = "Traff 2407.18004; model section 13.3",
            .misfit = misfit_allgather_circulant,
            .make = gather_by<circulant_steps>,
            .expect = expect_allgather_circulant,
            .table_bytes_per_node = 256,
            .with_many = WithMany::own,
        },
        {.allreduce = ""});
}

}  // namespace kport
