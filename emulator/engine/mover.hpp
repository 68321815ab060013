/// @file mover.hpp   A schedule made ready once, and its bytes moved again and again: no programs, no rounds, no audit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "emulator/engine/movement_plan.hpp"
#include "emulator/engine/sliced_memory.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/packet_bytes.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A schedule replayed for its data movement alone. It is for schedules that an audit found lawful: of what they may break
/// it sees only that somebody sends what he does not hold, and that something is not delivered.
///
/// Making one lays all memory out and fills in what the nodes own (engine/movement_plan.hpp). Each move() is then one whole
/// run, which leaves the same bytes behind each time. Small packets move round by round, on several threads where a round
/// has enough to move. Large packets are cut into slices: a thread takes a slice of everything through the whole schedule,
/// so that no thread waits for another, and what a node has got is still in the cache when it goes on to the next node.
///
/// Callers   one task at a time.
/// Memory    a packet for each that a node owns and for each that it receives; of reductions three values a node, of a scan
///           four; and the plan.
/// Errors    RequestError for what is no schedule of the operation (require_readable()) and for what it lacks
///           (plan_of_packets()), for a reduction that is not valid, and for texts: they grow on their way; DoesNotFit.
class Mover {
  public:
    Mover(const Schedule& schedule, const Machine& machine, const Promise& promise, const Reduction& reduction,
          std::uint64_t seed);
    /// The same with slices of at most so many bytes, a multiple of 8, instead of those that suit the caches.
    Mover(const Schedule& schedule, const Machine& machine, const Promise& promise, const Reduction& reduction,
          std::uint64_t seed, std::uint64_t slice_bytes);

    /// Moves everything once, on so many threads (at least 1).
    void move(unsigned threads);

    struct Difference {
        NodeId node;
        PacketId packet;  ///< of a reduction's result the node's number
        std::uint64_t byte;
    };
    /// Compares every packet that came with what its owner has, byte for byte; of a reduction, every result with the
    /// contributions folded one after the other. The first difference by when it came; nothing if all is right.
    [[nodiscard]] std::optional<Difference> verify() const;

    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    /// What the messages of one run carry.
    [[nodiscard]] std::uint64_t bytes_moved() const { return plan_.packets_moved * packet_bytes_; }
    /// The memory that stands ready: all places.
    [[nodiscard]] std::uint64_t bytes_held() const { return memory_.bytes(); }
    [[nodiscard]] std::size_t slices() const { return memory_.slices(); }

    /// All bytes, and how they are laid out, for those who want to look.
    [[nodiscard]] SlicedMemory& memory() { return memory_; }
    [[nodiscard]] const MovementPlan& plan() const { return plan_; }

  private:
    Mover(MovementPlan plan, const Machine& machine, const Schedule& schedule, const Promise& promise,
          const Reduction& reduction, std::uint64_t seed, std::uint64_t slice_bytes);

    void fill();
    void move_slice(std::size_t slice);
    void move_step_by_step();
    void move_range(std::size_t slice, std::size_t first, std::size_t end);
    [[nodiscard]] std::optional<Difference> verify_packets() const;
    [[nodiscard]] std::optional<Difference> verify_values() const;

    MovementPlan plan_;
    NodeId nodes_;
    std::uint64_t messages_;
    std::uint64_t packet_bytes_;
    Operation operation_;
    PacketBytes packets_;
    std::optional<Folder> folder_;  ///< of a reduction
    SlicedMemory memory_;
};

}  // namespace kport
