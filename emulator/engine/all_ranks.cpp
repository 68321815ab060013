#include "emulator/engine/all_ranks.hpp"

namespace kport {

AllRanks::AllRanks(Ranks* ranks, const Deal& deal) : ranks_(ranks), share_(deal.share(0, deal.partitions())) {
    if (ranks_ == nullptr) return;
    const auto first_of = [&](unsigned r) { return (deal.partitions() * r + size() - 1) / size(); };
    for (unsigned r = 0; r < size(); ++r) owner_.resize(first_of(r + 1), r);
    share_ = deal.share(first_of(rank()), first_of(rank() + 1));
    for (unsigned partition = 0; partition < deal.partitions(); ++partition)
        if (owns(partition)) own_ |= std::uint64_t{1} << partition;
}

}  // namespace kport
