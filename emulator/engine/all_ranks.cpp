#include "emulator/engine/all_ranks.hpp"

namespace kport {

AllRanks::AllRanks(Ranks* ranks, const Deal& deal) : ranks_(ranks), share_(deal.share(size(), rank())) {
    for (unsigned r = 0; r < size(); ++r) owned_.push_back(deal.share(size(), r).own());
}

}  // namespace kport
