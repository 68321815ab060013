#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/movement_plan.hpp"
#include "emulator/engine/movement_writer.hpp"
#include "emulator/schedule/packet_words.hpp"

namespace kport {

namespace {

constexpr std::uint32_t none = Movement::nothing;

/// All blocks at nodes, in the order of arrival; each node's as a list, the last first.
class Standings {
  public:
    explicit Standings(NodeId nodes) : last_(nodes, none) {}

    void add(Round round, const Standing& standing) {
        all_.push_back({standing, round, last_[standing.node]});
        last_[standing.node] = static_cast<std::uint32_t>(all_.size() - 1);
    }

    /// Calls use(standing, part) for every part of the wanted packets that the node has had before the round. Returns the
    /// rest. The last block is searched first: most packets that nodes pass on have just come.
    template <class Use>
    PacketBlocks find(NodeId v, Round round, const PacketBlock& wanted, Use&& use) const {
        PacketBlocks rest{wanted};
        for (std::uint32_t i = last_[v]; i != none && !rest.empty(); i = all_[i].next)
            if (all_[i].round < round) rest = without_common(rest, all_[i].standing, use);
        return rest;
    }

  private:
    struct Entry {
        Standing standing;
        Round round;
        std::uint32_t next;
    };

    template <class Use>
    static PacketBlocks without_common(const PacketBlocks& wanted, const Standing& standing, Use&& use) {
        PacketBlocks rest;
        for (const PacketBlock& block : wanted) {
            const auto part = common(block, standing.block);
            if (!part) {
                rest.push_back(block);
                continue;
            }
            use(standing, *part);
            if (part->size() == block.size()) continue;
            for (const PacketBlock& left : without(block, *part)) rest.push_back(left);
        }
        return rest;
    }

    std::vector<Entry> all_;
    std::vector<std::uint32_t> last_;  ///< of each node
};

class PacketPlanner {
  public:
    PacketPlanner(const Schedule& schedule, NodeId nodes, const Collective& collective, const PlanOptions& options)
        : schedule_(schedule), nodes_(nodes), collective_(collective), passes_on_(options.passes_on), standings_(nodes),
          writer_(plan_, options.count_max) {}

    MovementPlan plan() {
        for (NodeId v = 0; v < nodes_; ++v)
            for (const PacketSet own = collective_.owned(v, nodes_); const PacketBlock& block : own.blocks())
                plan_.owned.push_back(stand(v, 0, block, true));
        for (std::size_t first = 0; first < schedule_.size();) {
            std::size_t end = first;
            while (end < schedule_.size() && schedule_.round(end) == schedule_.round(first)) ++end;
            plan_round(first, end);
            first = end;
        }
        require_delivery();
        return std::move(plan_);
    }

  private:
    /// The packets get the next places.
    Standing stand(NodeId v, Round round, const PacketBlock& block, bool to_stay) {
        std::uint64_t& places = to_stay ? plan_.places : plan_.passing_places;
        const auto place = static_cast<std::uint32_t>(places) | (to_stay ? 0 : passing);
        const Standing standing{static_cast<std::uint32_t>(v), place, block};
        places += block.size();
        if (places >= passing)
            throw DoesNotFit(
                fmt::format("a schedule is moved in fewer than 2^31 places, one for each packet that a node "
                            "owns or receives; round {} is beyond them",
                            round));
        standings_.add(round, standing);
        return standing;
    }

    void plan_round(std::size_t first, std::size_t end) {
        order_.clear();
        for (std::size_t i = first; i < end; ++i) order_.emplace_back(place_of_first(i), i);
        std::ranges::sort(order_);
        for (const auto& [place, i] : order_) plan_transfer(i);
        writer_.end_step();
    }

    /// The place of a transfer's first packet at its sender.
    [[nodiscard]] std::uint64_t place_of_first(std::size_t i) const {
        const Transfer transfer = schedule_.transfer(i);
        const PacketBlock& block = transfer.packets.front();
        const PacketBlock first{block.first, 1, 1, block.row};
        std::uint64_t place = 0;
        standings_.find(transfer.from, schedule_.round(i), first, [&](const Standing& held, const PacketBlock& part) {
            place = held.place + PacketWalk(held.block, part).begin;
        });
        return place;
    }

    void plan_transfer(std::size_t i) {
        const Transfer transfer = schedule_.transfer(i);
        for (const PacketBlock& block : transfer.packets) {
            plan_.packets_moved += block.size();
            if (!passes_on_) {
                bring(i, block, true);
                continue;
            }
            PacketSet rest(block);
            for (const PacketSet all = collective_.wanted(transfer.to, nodes_); const PacketBlock& own : all.blocks())
                if (const auto part = common(block, own)) {
                    bring(i, *part, true);
                    rest.remove({&*part, 1});
                }
            for (const PacketBlock& part : rest.blocks()) bring(i, part, false);
        }
    }

    /// Packets of the i-th transfer come to their receiver.
    void bring(std::size_t i, const PacketBlock& block, bool to_stay) {
        const Transfer transfer = schedule_.transfer(i);
        const Round round = schedule_.round(i);
        const Standing came = stand(transfer.to, round, block, to_stay);
        if (to_stay) plan_.brought.push_back(came);
        const PacketBlocks unheld =
            standings_.find(transfer.from, round, block,
                            [&](const Standing& held, const PacketBlock& part) { copy(came, held, part); });
        if (!unheld.empty())
            throw RequestError(
                fmt::format("transfers[{}]: node {} sends packet {} in round {} and has not got it before", i,
                            transfer.from, unheld.front().lowest(nodes_), round));
    }

    void copy(const Standing& came, const Standing& held, const PacketBlock& part) {
        const PacketWalk to(came.block, part);
        const PacketWalk from(held.block, part);
        const bool whole_rows = to.column_step == 1 && from.column_step == 1;
        for (std::uint32_t row = 0; row < part.rows; ++row) {
            const auto into = static_cast<std::uint32_t>(came.place + to.begin + row * to.row_step);
            const auto of = static_cast<std::uint32_t>(held.place + from.begin + row * from.row_step);
            if (whole_rows) {
                writer_.add({into, of, Movement::nothing, part.count});
                continue;
            }
            for (std::uint32_t i = 0; i < part.count; ++i)
                writer_.add({static_cast<std::uint32_t>(into + i * to.column_step),
                             static_cast<std::uint32_t>(of + i * from.column_step), Movement::nothing, 1});
        }
    }

    void require_delivery() const {
        const Round after = schedule_.rounds() + 1;
        for (NodeId v = 0; v < nodes_; ++v)
            for (const PacketSet all = collective_.wanted(v, nodes_); const PacketBlock& block : all.blocks()) {
                const PacketBlocks lacking =
                    standings_.find(v, after, block, [](const Standing&, const PacketBlock&) {});
                if (!lacking.empty())
                    throw RequestError(
                        fmt::format("transfers: node {} does not get packet {}", v, lacking.front().lowest(nodes_)));
            }
    }

    const Schedule& schedule_;
    NodeId nodes_;
    Collective collective_;
    bool passes_on_;
    MovementPlan plan_;
    Standings standings_;
    MovementWriter writer_;
    std::vector<std::pair<std::uint64_t, std::size_t>> order_;  ///< the transfers of the round by their senders' places
};

}  // namespace

MovementPlan plan_of_packets(const Schedule& schedule, NodeId nodes, const Collective& collective,
                             const PlanOptions& options) {
    return PacketPlanner(schedule, nodes, collective, options).plan();
}

}  // namespace kport
