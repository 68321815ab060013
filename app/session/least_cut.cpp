#include "app/session/cutting.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace kport {

namespace {

std::uint64_t ceil_of(std::uint64_t a, std::uint64_t b) { return a / b + (a % b == 0 ? 0 : 1); }

/// The fewest packets that are smaller; as many where none are.
std::uint64_t fewest_smaller(std::uint64_t units, std::uint64_t packets) {
    const std::uint64_t size = ceil_of(units, packets);
    return size == 1 ? packets : ceil_of(units, size - 1);
}

/// From `low` to `high` packets, the fewest of their size each.
struct CutRange {
    double least;
    std::uint64_t low;
    std::uint64_t high;
};

class RangesOfCuts {
  public:
    RangesOfCuts(std::uint64_t units, const std::function<double(std::uint64_t low, std::uint64_t high)>& least_from)
        : units_(units), least_from_(least_from) {}

    void add(std::uint64_t low, std::uint64_t high) {
        const CutRange range{least_from_(low, high), low, high};
        if (low == high) met_ = std::min(met_, range.least);
        if (range.least > met_) return;
        ranges_.push_back(range);
        std::ranges::push_heap(ranges_, std::ranges::greater(), &CutRange::least);
    }
    /// The range of the least bound; of no cut where none is left.
    [[nodiscard]] CutRange first() const { return ranges_.empty() ? CutRange{met_, 0, 0} : ranges_.front(); }
    [[nodiscard]] bool is_met() const {
        constexpr double rounding = 1e-12;
        return first().low == first().high || met_ <= first().least * (1 + rounding);
    }
    void halve_first() {
        const CutRange range = ranges_.front();
        std::ranges::pop_heap(ranges_, std::ranges::greater(), &CutRange::least);
        ranges_.pop_back();
        const std::uint64_t middle = fewest_packets(units_, range.low + (range.high - range.low) / 2);
        add(range.low, middle);
        add(fewest_smaller(units_, middle), range.high);
    }

  private:
    std::uint64_t units_;
    const std::function<double(std::uint64_t low, std::uint64_t high)>& least_from_;
    std::vector<CutRange> ranges_;  // a heap
    double met_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::uint64_t fewest_packets(std::uint64_t units, std::uint64_t packets) {
    return ceil_of(units, ceil_of(units, packets));
}

std::optional<std::vector<std::uint64_t>> cuts_between(std::uint64_t units, std::uint64_t low, std::uint64_t high,
                                                       std::size_t few) {
    std::vector<std::uint64_t> cuts;
    for (std::uint64_t packets = low; packets <= high; packets = fewest_smaller(units, packets)) {
        if (cuts.size() == few) return std::nullopt;
        if (!cuts.empty() && packets == cuts.back()) break;
        cuts.push_back(packets);
    }
    return cuts;
}

double least_over_cuts(std::uint64_t units, std::uint64_t most,
                       const std::function<double(std::uint64_t low, std::uint64_t high)>& least_from, int tries) {
    RangesOfCuts ranges(units, least_from);
    std::uint64_t low = 1;
    for (std::uint64_t end = 1; low <= most; end = end > most / 2 ? most : 2 * end) {
        const std::uint64_t high = fewest_packets(units, end);
        if (high < low) continue;
        ranges.add(low, high);
        if (high == fewest_packets(units, most)) break;
        low = fewest_smaller(units, high);
    }
    for (int i = 0; i < tries && !ranges.is_met(); ++i) ranges.halve_first();
    return ranges.first().least;
}

}  // namespace kport
