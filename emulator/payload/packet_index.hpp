/// @file packet_index.hpp   An index of the packets of a node that came in many bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "emulator/payload/body.hpp"

namespace kport {

/// The bodies of a node, and for each packet the first body in which it came: finding packets costs O(packets asked
/// for), however many bodies there are.
///
/// Memory   about 100 bytes for the packets of 64 columns of a row, and 32 for each body with some of them.
class PacketIndex {
  public:
    explicit PacketIndex(std::uint64_t packet_bytes) : packet_bytes_(packet_bytes) {}
    PacketIndex(const PacketIndex&) = delete;
    PacketIndex& operator=(const PacketIndex&) = delete;

    /// Takes over one reference.
    void add(Body* body);
    /// Copies those packets of a message that are here to their places in it. Returns their number.
    std::uint64_t copy_to(Body& message) const;
    /// Forgets packets. Releases bodies of which nothing is left; `worth(packets, left)` decides whether the rest of a
    /// body is copied to a body of its own.
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
    /// Calls visit(body), the latest first.
    template <class Visit>
    void for_each_body(const Visit& visit) const {
        for (auto kept = bodies_.rbegin(); kept != bodies_.rend(); ++kept) visit(*kept->body);
    }

  private:
    /// Packets of a body in 64 columns of a row.
    struct Segment {
        std::uint64_t columns;  ///< those that came first in this body and were not given away
        std::uint64_t all;      ///< those stored in the body, consecutively
        Body* body;
        std::uint64_t place;  ///< index of the first of `all`, in packets
    };
    using Segments = boost::container::small_vector<Segment, 1>;
    struct Kept {
        Body* body;
        std::uint64_t packets;
        std::uint64_t left;  ///< number of packets in segments
    };

    /// Forgets packets. Returns the bodies that had some of them, each once.
    [[nodiscard]] std::vector<Body*> forget(std::span<const PacketBlock> packets);
    void drop(Body* body, FramePool& pool);
    void make_anew(Body* body, FramePool& pool);

    std::uint64_t packet_bytes_;
    std::unordered_map<std::uint64_t, Segments> segments_;  ///< by row and 64 columns
    std::vector<Kept> bodies_;
};

}  // namespace kport
