#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/fold_order.hpp"
#include "emulator/engine/movement_plan.hpp"
#include "emulator/engine/movement_writer.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

/// A node's partial result: its contributions and its place.
struct Folded {
    std::uint32_t place;
    std::uint32_t lowest;
    std::uint32_t highest;
    std::uint64_t count;

    void add(const Folded& other) {
        lowest = std::min(lowest, other.lowest);
        highest = std::max(highest, other.highest);
        count += other.count;
    }
};

/// A value on its way, as it was before the round.
struct Coming {
    NodeId to;
    NodeId from;
    Round round;
    std::uint32_t turn;  ///< the number of values that came to the node before it in the round
    bool whole;          ///< the result, which replaces the node's value
    Folded value;
};

class ValuePlanner {
  public:
    ValuePlanner(const Schedule& schedule, NodeId nodes, const Collective& collective, const PlanOptions& options)
        : schedule_(schedule), nodes_(nodes), collective_(collective), writer_(plan_, options.count_max),
          folded_(own()), last_round_(nodes) {
        plan_.places = nodes + (collective.inwards() ? 1 : nodes);
        plan_.passing_places = 2 * nodes;
        if (scans()) prefixes_ = own();
        for (std::size_t i = 0; i < schedule.size(); ++i) last_round_[schedule.transfer(i).to] = schedule.round(i);
    }

    MovementPlan plan() {
        for (NodeId v = 0; v < nodes_; ++v) plan_.owned.push_back(standing(v, static_cast<std::uint32_t>(v)));
        for (std::size_t first = 0; first < schedule_.size();) {
            std::size_t end = first;
            while (end < schedule_.size() && schedule_.round(end) == schedule_.round(first)) ++end;
            plan_round(first, end);
            first = end;
        }
        plan_.packets_moved = schedule_.size();
        for (NodeId v = 0; v < nodes_; ++v)
            if (has_result(v)) bring(v);
        return std::move(plan_);
    }

  private:
    [[nodiscard]] bool scans() const { return collective_.scans(); }

    [[nodiscard]] std::vector<Folded> own() const {
        std::vector<Folded> all(nodes_);
        for (std::uint32_t v = 0; v < nodes_; ++v) all[v] = {v, v, v, 1};
        return all;
    }
    static Standing standing(NodeId v, std::uint32_t place) {
        return {static_cast<std::uint32_t>(v), place, PacketBlock{static_cast<std::uint32_t>(v)}};
    }

    void plan_round(std::size_t first, std::size_t end) {
        coming_.clear();
        for (std::size_t i = first; i < end; ++i) coming_.push_back(sent(i));
        std::ranges::sort(coming_, {},
                          [](const Coming& c) { return std::pair(c.to, place_in_order(c.to, c.value.lowest)); });
        for (std::size_t i = 1; i < coming_.size(); ++i)
            if (coming_[i].to == coming_[i - 1].to) coming_[i].turn = coming_[i - 1].turn + 1;
        // A node folds sequentially; the folds of different nodes in the same turn are independent.
        std::ranges::stable_sort(coming_, {}, &Coming::turn);
        for (std::size_t i = 0; i < coming_.size(); ++i) {
            if (i > 0 && coming_[i].turn != coming_[i - 1].turn) writer_.end_step();
            take_in(coming_[i]);
        }
        writer_.end_step();
    }

    [[nodiscard]] Coming sent(std::size_t i) const {
        const Transfer transfer = schedule_.transfer(i);
        const Folded& value = folded_[transfer.from];
        const bool whole = transfer.packets.front() == result_packet(nodes_);
        if (value.count != (whole ? nodes_ : size_of(transfer.packets)))
            throw RequestError(fmt::format(
                "transfers[{}]: node {} sends {} contributions in round {} and has folded {} "
                "before",
                i, transfer.from, whole ? nodes_ : size_of(transfer.packets), schedule_.round(i), value.count));
        return {transfer.to, transfer.from, schedule_.round(i), 0, whole, value};
    }

    void take_in(const Coming& coming) {
        Folded& here = folded_[coming.to];
        const std::uint32_t into = coming.turn == 0 ? next_place(coming) : here.place;
        if (coming.whole) {
            writer_.add({into, coming.value.place, Movement::nothing, 1});
            here = coming.value;
        } else {
            fold(into, coming.value, here);
        }
        here.place = into;
        if (!scans() || coming.value.highest >= coming.to) return;
        Folded& prefix = prefixes_[coming.to];
        const std::uint32_t result = result_place(coming.to);
        fold(result, coming.value, prefix);
        prefix.place = result;
    }

    [[nodiscard]] bool has_result(NodeId v) const { return collective_.gives_result(v); }
    [[nodiscard]] std::uint32_t result_place(NodeId v) const {
        return static_cast<std::uint32_t>(nodes_ + (collective_.inwards() ? 0 : v));
    }

    /// A node's value before the round may be on its way to others: the first fold of a round goes to another place. After
    /// the last round with one it is the result.
    [[nodiscard]] std::uint32_t next_place(const Coming& coming) const {
        const bool last = coming.round == last_round_[coming.to];
        if (last && !scans() && has_result(coming.to)) return result_place(coming.to);
        const auto one = static_cast<std::uint32_t>(coming.to) | passing;
        const auto other = static_cast<std::uint32_t>(nodes_ + coming.to) | passing;
        return folded_[coming.to].place == one ? other : one;
    }

    /// An incoming value is folded on the side of its contributions.
    void fold(std::uint32_t into, const Folded& came, Folded& here) {
        const bool left = stands_left(came.lowest, here.lowest);
        writer_.add({into, left ? came.place : here.place, left ? here.place : came.place, 1});
        here.add(came);
    }

    void bring(NodeId v) {
        const Folded& result = scans() ? prefixes_[v] : folded_[v];
        const std::uint64_t whole = scans() ? v + 1 : nodes_;
        if (result.count != whole)
            throw RequestError(fmt::format("transfers: node {} gets {} of the {} contributions of its result", v,
                                           result.count, whole));
        plan_.brought.push_back(standing(v, result.place));
    }

    const Schedule& schedule_;
    NodeId nodes_;
    Collective collective_;
    MovementPlan plan_;
    MovementWriter writer_;
    std::vector<Folded> folded_;
    std::vector<Folded> prefixes_;   ///< scan: of the contributions up to the node's own
    std::vector<Round> last_round_;  ///< in which a node receives
    std::vector<Coming> coming_;     ///< in the round at hand
};

}  // namespace

MovementPlan plan_of_values(const Schedule& schedule, NodeId nodes, const Collective& collective,
                            const PlanOptions& options) {
    if (nodes >= passing / 2)
        throw DoesNotFit(fmt::format("a reduction is moved in fewer than 2^31 places; {} nodes need more", nodes));
    return ValuePlanner(schedule, nodes, collective, options).plan();
}

}  // namespace kport
