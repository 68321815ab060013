#include "algorithms/support/segment.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace kport {

Halving halve(const Segment& segment, std::uint64_t holder, Keep keep) {
    const std::uint64_t smaller = segment.size() / 2;
    const std::uint64_t greater = segment.size() - smaller;
    const std::uint64_t left_part = keep == Keep::smaller ? smaller : greater;
    const std::uint64_t right_part = segment.size() - left_part;
    const auto keep_left = [&](std::uint64_t size) {
        const std::uint64_t cut = segment.first + size;
        return Halving{{segment.first, cut}, {cut, segment.last}, cut};
    };
    const auto keep_right = [&](std::uint64_t size) {
        const std::uint64_t cut = segment.last - size;
        return Halving{{cut, segment.last}, {segment.first, cut}, cut - 1};
    };
    const std::uint64_t offset = holder - segment.first;
    if (offset < left_part) return keep_left(left_part);
    if (offset >= right_part) return keep_right(left_part);
    return keep_left(greater);  // exactly in the middle of an odd segment: no smaller part contains the holder
}

Assignment given_to(std::uint64_t position, std::uint64_t n, std::uint64_t source, Keep keep) {
    Assignment given{{0, n}, source};
    std::uint64_t holder = source;
    while (holder != position) {
        const Halving step = halve(given.segment, holder, keep);
        if (step.kept.contains(position))
            given.segment = step.kept;
        else
            given = {step.given, std::exchange(holder, step.receiver)};
    }
    return given;
}

LineCost line_cost(std::uint64_t n, std::uint64_t source, Keep keep, const Costs& costs, std::uint64_t bytes) {
    struct Part {
        Segment segment;
        std::uint64_t holder;
    };
    LineCost cost;
    std::vector<Part> parts{{{0, n}, source}};
    std::vector<Part> halves;
    while (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.segment.size() > 1; })) {
        std::uint64_t longest = 0;
        std::uint64_t largest = 0;
        double slowest = 0;
        halves.clear();
        for (const Part& part : parts) {
            if (part.segment.size() == 1) continue;  // done: it costs nothing in later rounds
            const Halving step = halve(part.segment, part.holder, keep);
            const std::uint64_t distance = std::max(step.receiver, part.holder) - std::min(step.receiver, part.holder);
            longest = std::max(longest, distance);
            largest = std::max(largest, step.given.size());
            slowest = std::max(slowest, costs.latency(distance, step.given.size() * bytes));
            cost.work += distance;
            halves.push_back({step.kept, part.holder});
            halves.push_back({step.given, step.receiver});
        }
        parts.swap(halves);
        ++cost.rounds;
        cost.path_sum += longest;
        cost.volume += largest;
        cost.latency += slowest;
    }
    return cost;
}

std::uint64_t odd_halvings(std::uint64_t n) {
    std::uint64_t odd = 0;
    for (; n > 1; n = n / 2 + n % 2) odd += n % 2;
    return odd;
}

Segment segment_begun_by(std::uint64_t position, std::uint64_t n, std::uint64_t parts) {
    Segment segment{0, n};
    while (segment.first != position)  // follow the cuts to the one that made its segment
        segment = part_of(segment, part_with(position, segment, parts), parts);
    return segment;
}

unsigned ceil_log2(std::uint64_t x) { return static_cast<unsigned>(std::bit_width(x - 1)); }

}  // namespace kport
