/// @file mover.hpp   A prepared schedule whose bytes move any number of times: no programs, no rounds, no audit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/engine/movement_plan.hpp"
#include "emulator/engine/sliced_memory.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/payload/packet_bytes.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A schedule replayed for its data movement alone. It is for schedules that an audit found lawful. It detects
/// only sends of packets that are not held, and missing deliveries.
///
/// Making one lays all memory out and fills in what the nodes own (engine/movement_plan.hpp). Each move() is then one whole
/// run, which leaves the same bytes behind each time. Small packets move round by round, on several threads where a round
/// has enough to move. Large packets are cut into slices: a thread takes a slice of everything through the whole schedule,
/// so that no thread waits for another, and what a node has got is still in the cache when it goes on to the next node.
/// Large packets that a node only passes on stand in memory that all slices share, and are gone after the run.
///
/// Callers   one task at a time.
/// Memory    a packet for each that a node owns and for each that comes to it, large ones only where they stay; of
///           reductions two values a node and segment, more where it sends parts of what it has; what large packets and
///           partial results take on their way, for each thread the slices of it; and the plan.
/// Errors    RequestError for an invalid schedule of the operation (require_readable()) and for what it lacks
///           (plan_of_packets()), for a reduction that is not valid, and for texts: they change size; DoesNotFit.
class Mover {
  public:
    Mover(const Schedule& schedule, const Machine& machine, const Collective& collective, const Reduction& reduction,
          std::uint64_t seed);
    /// With slices of at most so many bytes, a multiple of 8, instead of those that suit the caches.
    Mover(const Schedule& schedule, const Machine& machine, const Collective& collective, const Reduction& reduction,
          std::uint64_t seed, std::uint64_t slice_bytes);

    /// Moves everything once, on so many threads (at least 1).
    void move(unsigned threads);

    struct Difference {
        NodeId node;
        PacketId packet;  ///< of a reduction's result the node's number
        std::uint64_t byte;
        bool missing = false;  ///< the node has no place for the packet that it is promised
    };
    /// Compares every packet that came to stay with what its owner has, byte for byte, and sees that nodes have all that they
    /// are promised; of a reduction, every result with the contributions folded one after the other, and sums of doubles
    /// that were given with the folds of the plan, too. The first difference by when it came; nothing if all is right.
    [[nodiscard]] std::optional<Difference> verify() const;
    /// Overwrites all places that receive: what verify() finds right was moved since.
    void spoil();

    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    /// What the messages of one run carry.
    [[nodiscard]] std::uint64_t bytes_moved() const { return plan_.packets_moved * packet_bytes_; }
    /// The memory that stands ready: all places, those of each thread included.
    [[nodiscard]] std::uint64_t bytes_held() const {
        return memory_.bytes() + passing_.size() * (passing_.empty() ? 0 : passing_.front().size());
    }
    [[nodiscard]] std::size_t slices() const { return memory_.slices(); }

    /// The bytes of the places that last, and the plan that numbers them, for those who want to look.
    [[nodiscard]] SlicedMemory& memory() { return memory_; }
    [[nodiscard]] const MovementPlan& plan() const { return plan_; }

  private:
    Mover(MovementPlan plan, const Machine& machine, const Schedule& schedule, const Collective& collective,
          const Reduction& reduction, std::uint64_t seed, std::uint64_t slice_bytes);

    void fill();
    void make_room_for(unsigned threads);
    void move_step_by_step(std::size_t slice);
    /// The movements from `first` on before `end`, with `passing_memory` for what is passed on.
    void move_slice(std::size_t slice, std::size_t first, std::size_t end, std::byte* passing_memory);
    [[nodiscard]] std::optional<Difference> verify_packets() const;
    /// The first packet that is promised and came to no place.
    [[nodiscard]] std::optional<Difference> first_missing() const;
    [[nodiscard]] std::uint64_t promised_in(const Standing& standing) const;
    [[nodiscard]] std::optional<Difference> verify_values() const;
    /// What stands in each place after a run, of values of one number: the folds of the plan, made again by another operator.
    [[nodiscard]] std::vector<std::uint64_t> folded_again() const;

    MovementPlan plan_;
    NodeId nodes_;
    std::uint64_t messages_;
    std::uint64_t packet_bytes_;
    Collective collective_;
    PacketBytes packets_;
    std::optional<Folder> folder_;  ///< of a reduction
    SlicedMemory memory_;
    std::vector<HugeArray<std::byte>> passing_;  ///< a thread's passing places, for the slice that it moves
};

}  // namespace kport
