#include "emulator/engine/all_ranks.hpp"

namespace kport {

AllRanks::AllRanks(Ranks* ranks, const Deal& deal)
    : ranks_(ranks), share_(deal.share(~std::uint64_t{0} >> (64 - deal.partitions()))), owned_(size(), 0) {
    if (ranks_ == nullptr) return;
    for (unsigned partition = 0; partition < deal.partitions(); ++partition)
        owned_[owner(partition)] |= std::uint64_t{1} << partition;
    share_ = deal.share(owned_[rank()]);
}

}  // namespace kport
