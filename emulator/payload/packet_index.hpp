/// @file packet_index.hpp   Where the packets of a node stand that came in many bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "emulator/payload/body.hpp"

namespace kport {

/// The bodies of a node, and for each packet the first of them in which it came: so finding packets costs what is asked for,
/// however many bodies there are.
///
/// Memory   about 100 bytes for the packets of 64 columns of a row, and 32 for each body with some of them.
class PacketIndex {
  public:
    explicit PacketIndex(std::uint64_t packet_bytes) : packet_bytes_(packet_bytes) {}
    PacketIndex(const PacketIndex&) = delete;
    PacketIndex& operator=(const PacketIndex&) = delete;

    /// Takes one reference over.
    void add(Body* body);
    /// Copies the packets of a message that are here to their places in it; returns how many those are.
    std::uint64_t copy_to(Body& message) const;
    /// Forgets packets. A body of which none is left is released; `worth(packets, left)` says whether what is left of one is
    /// copied to a body of its own.
    template <class Worth>
    void give_away(std::span<const PacketBlock> packets, FramePool& pool, const Worth& worth) {
        for (Body* body : forget(packets)) {
            const Kept& kept = bodies_[body->place];
            if (kept.left == 0)
                drop(body, pool);
            else if (worth(kept.packets, kept.left))
                make_anew(body, pool);
        }
    }
    /// Calls visit(body), for what came last first.
    template <class Visit>
    void for_each_body(const Visit& visit) const {
        for (auto kept = bodies_.rbegin(); kept != bodies_.rend(); ++kept) visit(*kept->body);
    }

  private:
    /// Packets of a body in 64 columns of a row.
    struct Segment {
        std::uint64_t columns;  ///< that came first in this body, and were not given away
        std::uint64_t all;      ///< that stand in the body one after the other
        Body* body;
        std::uint64_t place;  ///< of the first of all, in packets
    };
    using Segments = boost::container::small_vector<Segment, 1>;
    struct Kept {
        Body* body;
        std::uint64_t packets;
        std::uint64_t left;  ///< so many are in segments
    };

    /// The bodies that had some of the packets, each once.
    [[nodiscard]] std::vector<Body*> forget(std::span<const PacketBlock> packets);
    void drop(Body* body, FramePool& pool);
    void make_anew(Body* body, FramePool& pool);

    std::uint64_t packet_bytes_;
    std::unordered_map<std::uint64_t, Segments> segments_;  ///< by row and 64 columns
    std::vector<Kept> bodies_;
};

}  // namespace kport
