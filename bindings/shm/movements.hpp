/// @file movements.hpp   A schedule as what each thread does: what it waits for, copies and folds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::shm {

/// Contributions are counted in the bits of a word.
inline constexpr unsigned threads_max = 64;

/// Whether the buffers of an operation are one vector, which may be cut; else they have a part for each thread.
[[nodiscard]] bool has_vector(const Operation& operation);

/// The memory of one thread, cut into pieces of equal size: what the caller gives, what he takes, and what the group keeps.
enum class Space : std::uint8_t { given, taken, kept };

struct Place {
    Space space = Space::given;
    std::uint32_t piece = 0;

    bool operator==(const Place&) const = default;
};

/// A place of some thread.
struct Location {
    unsigned rank = 0;
    Place place;
};

/// That a thread has ended so many of its movements. 0: it has called the collective.
struct Need {
    unsigned rank = 0;
    std::uint32_t ended = 0;
};

/// One movement of a thread, from places of any threads to a place of its own. One source is copied, several are folded in their order.
/// Without sources it only waits.
struct Movement {
    std::vector<Need> needs = {};
    std::vector<Location> from = {};
    Place to = {};
    std::uint32_t piece = 0;          ///< of the vector, if one is cut: the last piece may be shorter
    std::vector<Location> also = {};  ///< places of other threads that get the same, while it is in a cache
};

/// What the threads of a group do in one collective. Each movement needs only movements before it in one order of all, so that no two
/// threads wait for each other; what is read is not written again before its readers have ended.
struct Movements {
    std::vector<std::vector<Movement>> of;  ///< of each thread, in its order
    std::uint32_t pieces = 1;               ///< into which a vector is cut; 1 where each packet is a piece
    std::uint32_t kept = 0;                 ///< pieces that a thread keeps, at most
    std::string algorithm;                  ///< from the catalogue; empty for one thread
    std::uint64_t rounds = 0;

    /// Returns the largest number of movements of a thread.
    [[nodiscard]] std::uint32_t longest() const;
};

/// Compiles a lawful schedule on the complete graph of `ranks` nodes. An allreduce is in place: `given` and `taken` are the same memory.
/// Returns nothing for a schedule that is not followed here: one that sends a value by itself after it was folded into another one, and an
/// allreduce that folds in different brackets for different threads, whose results might differ. O(packets moved).
[[nodiscard]] std::optional<Movements> compiled(const Schedule& schedule, const Collective& collective, unsigned ranks);

/// Returns what the threads do in an operation on `bytes`: of the whole vector in a broadcast, reduce or allreduce, else of the packet
/// that one thread has for another. Every applicable algorithm of the catalogue is run on the complete graph of the threads, where a node
/// reads one message at a time and any number read from it; the movements are those of the lawful schedule that ends first at the prices of
/// copies between cores. The same for the same arguments, on every computer. Some milliseconds for 4 threads.
[[nodiscard]] Movements judged_movements(const Operation& operation, unsigned root, unsigned threads,
                                         std::uint64_t bytes);

}  // namespace kport::shm
