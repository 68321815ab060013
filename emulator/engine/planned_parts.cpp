#include "emulator/engine/planned_parts.hpp"

#include <algorithm>
#include <ranges>

#include "emulator/base/error.hpp"
#include "emulator/node/fold_order.hpp"

namespace kport {

std::uint32_t PlannedParts::new_place() {
    if (plan_.passing_places >= passing)
        throw DoesNotFit(
            "a reduction is moved in fewer than 2^31 places; nodes that send parts of what they have need more");
    return static_cast<std::uint32_t>(plan_.passing_places++) | passing;
}

PlannedParts::Sum PlannedParts::sum(std::uint64_t cell, const PacketSet& contributions, std::uint32_t to) {
    std::vector<Part>& own = cells_[cell];
    PacketSet rest = contributions;
    std::vector<const Part*> some;
    for (const Part& part : own | std::views::reverse) {
        if (rest.empty()) break;
        if (!rest.covers(part.contributions.blocks())) continue;
        rest.remove(part.contributions);
        some.push_back(&part);
    }
    const std::uint64_t count = contributions.size() - rest.size();
    if (some.empty()) return {0, 0};
    if (some.size() == 1) return {some.front()->place, count};
    std::ranges::sort(some, {}, [](const Part* part) { return lowest_of(part->contributions.blocks()); });
    Chain chain{{}, to == Movement::nothing ? new_place() : to, 0};
    for (const Part* part : some) {
        chain.from.push_back(part->place);
        if (const auto made = made_.find(part->place); made != made_.end())
            chain.start = std::max(chain.start, made->second);
    }
    made_[chain.to] = chain.start + chain.from.size() - 1;
    PacketSet all = contributions;
    all.remove(rest);
    own.push_back({std::move(all), chain.to});
    chains_.push_back(std::move(chain));
    return {own.back().place, count};
}

void PlannedParts::fold_all() {
    // The folds of a chain are sequential; those of different chains in the same step are independent.
    for (std::size_t step = 1; !chains_.empty(); ++step) {
        for (const Chain& chain : chains_) {
            if (step <= chain.start) continue;
            const std::size_t turn = step - chain.start;
            writer_.add({chain.to, turn == 1 ? chain.from.front() : chain.to, chain.from[turn], 1});
        }
        writer_.end_step();
        std::erase_if(chains_, [&](const Chain& chain) { return step == chain.start + chain.from.size() - 1; });
    }
    made_.clear();
}

}  // namespace kport
