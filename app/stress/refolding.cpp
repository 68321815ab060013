#include "app/stress/second_opinion.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

/// What a node has combined so far.
struct Sum {
    std::vector<std::byte> bytes;
    std::uint64_t lowest;
    std::uint64_t count = 1;
    bool is_result = false;  ///< a result has come
};

struct Coming {
    NodeId to;
    Sum sum;

    /// By receiver, then the nearest first, then the lower one.
    [[nodiscard]] auto order() const {
        return std::tuple(to, std::max<NodeId>(to, sum.lowest) - std::min<NodeId>(to, sum.lowest), sum.lowest);
    }
};

class Refolding {
  public:
    Refolding(const Schedule& schedule, const Case& c)
        : schedule_(schedule), collective_(c.collective), nodes_(c.topology().nodes()),
          folder_(c.options.reduction, collective_.packet_bytes, c.seed, true) {
        for (NodeId v = 0; v < nodes_; ++v) sums_.push_back({folder_.contribution(v), v});
    }

    std::optional<std::vector<std::string>> results() {
        for (std::size_t first = 0; first < schedule_.size();) {
            std::vector<Coming> coming;
            const Round round = schedule_.round(first);
            for (; first < schedule_.size() && schedule_.round(first) == round; ++first)
                if (auto sum = sent(schedule_.transfer(first)))
                    coming.push_back({schedule_.transfer(first).to, *std::move(sum)});
                else
                    return std::nullopt;
            std::ranges::sort(coming, {}, &Coming::order);
            for (const Coming& one : coming) take(sums_[one.to], one.sum);
        }
        std::vector<std::string> texts;
        for (NodeId v = 0; v < nodes_ && texts.size() < shown_results_max; ++v)
            if (collective_.gives_result(v))
                texts.push_back(folder_.text(sums_[v].bytes.data(), sums_[v].bytes.size()));
        return texts;
    }

  private:
    [[nodiscard]] std::optional<Sum> sent(const Transfer& transfer) const {
        Sum sum = sums_[transfer.from];
        sum.is_result = transfer.packets.front().first == nodes_;
        const bool has_all = (sum.is_result ? nodes_ : size_of(transfer.packets)) == sum.count;
        return has_all ? std::optional(std::move(sum)) : std::nullopt;
    }
    void take(Sum& here, const Sum& came) const {
        if (came.is_result) {
            here = came;
            return;
        }
        if (here.is_result) return;
        const bool is_left = came.lowest < here.lowest;
        std::vector<std::byte> folded = is_left ? came.bytes : here.bytes;
        folder_.fold(folded, is_left ? here.bytes : came.bytes);
        here = {std::move(folded), std::min(here.lowest, came.lowest), here.count + came.count};
    }

    const Schedule& schedule_;
    const Collective& collective_;
    NodeId nodes_;
    Folder folder_;
    std::vector<Sum> sums_;
};

}  // namespace

std::optional<std::vector<std::string>> refolded(const Schedule& schedule, const Case& c) {
    const Collective& collective = c.collective;
    const bool has_bytes = collective.packet_bytes != 0 || c.options.reduction.type.is_text();
    // Where counts differ, the one segment of a lone node may be none, and nothing is folded.
    const bool is_one_sum = collective.folds() && !collective.scans() && !collective.in_runs &&
                            collective.counts == nullptr && collective.segments(c.topology().nodes()) == 1 && has_bytes;
    constexpr NodeId refolded_nodes_max = 4096;  // each has a sum in memory
    if (!is_one_sum || c.topology().nodes() > refolded_nodes_max) return std::nullopt;
    return Refolding(schedule, c).results();
}

}  // namespace kport
