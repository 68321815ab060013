#include "algorithms/support/timetable.hpp"

#include <numeric>

#include "algorithms/support/segment.hpp"

namespace kport {

namespace {

/// The search for the receive table of a position (Traff, arXiv 2407.18004): depth first, the largest remaining skip
/// first.
class TableSearch {
  public:
    TableSearch(const std::vector<NodeId>& skips, NodeId x, std::uint32_t base)
        : skips_(skips), q_(static_cast<std::uint32_t>(skips.size() - 1)), limit_(2 * skips.back()),
          t_(skips.back() + x), alive_(q_ + 1, true) {
        alive_[base] = false;
        if (q_ > 0) search(0, q_);
    }

    [[nodiscard]] const std::vector<std::uint32_t>& found() const { return found_; }

  private:
    [[nodiscard]] std::uint32_t i() const { return static_cast<std::uint32_t>(found_.size()); }
    /// Returns t - s_i, which may be negative.
    [[nodiscard]] std::int64_t before(std::uint32_t i) const { return static_cast<std::int64_t>(t_ - skips_[i]); }

    void search(NodeId at, std::uint32_t top) {
        for (std::uint32_t e = top + 1; e-- > 0;) {
            if (!alive_[e]) continue;
            const NodeId y = at + skips_[e];
            if (static_cast<std::int64_t>(y) > before(i()) || y >= limit_) continue;
            if (static_cast<std::int64_t>(y) <= before(i() + 1)) search(y, e);
            if (i() == q_ || static_cast<std::int64_t>(at) > before(i() + 1)) return;
            limit_ = y;
            found_.push_back(e);
            alive_[e] = false;
            if (i() == q_) return;
        }
    }

    const std::vector<NodeId>& skips_;
    std::uint32_t q_;
    NodeId limit_;
    NodeId t_;
    std::vector<bool> alive_;
    std::vector<std::uint32_t> found_;
};

}  // namespace

CirculantSchedule::CirculantSchedule(NodeId nodes) : q_(ceil_log2(nodes)), skips_(q_ + 1, nodes) {
    for (std::uint32_t i = q_; i-- > 0;) skips_[i] = (skips_[i + 1] + 1) / 2;
}

/// Writes x as a sum of skips, the largest first; returns the last one.
std::uint32_t CirculantSchedule::base(NodeId x) const {
    std::uint32_t last = q_;
    for (std::uint32_t i = q_; i-- > 0 && x > 0;) {
        if (skips_[i] > x) continue;
        x -= skips_[i];
        last = i;
    }
    return last;
}

std::vector<std::int64_t> CirculantSchedule::table(NodeId x) const {
    std::vector<std::int64_t> blocks(q_);
    std::iota(blocks.begin(), blocks.end(), 0);
    if (x == 0) return blocks;
    const std::uint32_t own = base(x);
    const TableSearch search(skips_, x, own);
    for (std::uint32_t i = 0; i < q_; ++i) {
        const std::uint32_t entry = search.found()[i];
        blocks[i] = entry == q_ ? static_cast<std::int64_t>(own) : static_cast<std::int64_t>(entry) - q_;
    }
    return blocks;
}

}  // namespace kport
