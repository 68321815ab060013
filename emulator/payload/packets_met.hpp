/// @file packets_met.hpp   Which packets of a set were seen, in any order and possibly more than once.
#pragma once

#include <cstdint>

#include <boost/container/small_vector.hpp>

#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/packet_words.hpp"

namespace kport {

/// Which packets of one block were seen.
class MetOfBlock {
  public:
    explicit MetOfBlock(const PacketBlock& all) : all_(all), bits_((all.size() + 63) / 64) {}

    void add(const PacketBlock& block) {
        if (all_.is_one()) {  // most nodes are promised at most one packet
            if (covers(block, all_)) bits_.front() = 1;
        } else if (all_.is_range() && block.is_one()) {  // most others get their packets one by one
            if (covers(all_, block)) meet(block.first - all_.first);
        } else if (const auto part = common(block, all_))
            for_each(*part, [&](std::uint64_t place) { meet(place); });
    }
    /// Adds those packets of `of` that are in this block and were not seen.
    void add_missing(const PacketBlock& of, PacketSet& missing) const {
        if (all_.is_one() && bits_.front() == 1) return;
        const auto part = common(of, all_);
        if (!part) return;
        for_each(*part, [&](std::uint64_t place) {
            if ((bits_[place / 64] >> place % 64 & 1) != 0) return;
            missing.add(PacketBlock{all_.columns()[static_cast<std::uint32_t>(place % all_.count)], 1, 1,
                                    all_.all_rows()[static_cast<std::uint32_t>(place / all_.count)]});
        });
    }

  private:
    void meet(std::uint64_t place) { bits_[place / 64] |= std::uint64_t{1} << place % 64; }
    template <class Visit>
    void for_each(const PacketBlock& part, Visit&& visit) const {
        const PacketWalk walk(all_, part);
        for (std::uint32_t j = 0; j < part.rows; ++j)
            for (std::uint32_t i = 0; i < part.count; ++i) visit(walk.begin + j * walk.row_step + i * walk.column_step);
    }

    PacketBlock all_;
    boost::container::small_vector<std::uint64_t, 4> bits_;
};

/// Which packets of a set were seen. Built-in operations promise one block; user-defined ones may promise many.
class PacketsMet {
  public:
    explicit PacketsMet(const PacketSet& all) {
        for (const PacketBlock& block : all.blocks()) blocks_.emplace_back(block);
    }

    void add(const PacketBlock& block) {
        for (MetOfBlock& met : blocks_) met.add(block);
    }
    void add_missing(const PacketBlock& of, PacketSet& missing) const {
        for (const MetOfBlock& met : blocks_) met.add_missing(of, missing);
    }

  private:
    boost::container::small_vector<MetOfBlock, 1> blocks_;
};

}  // namespace kport
