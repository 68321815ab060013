/// @file games.hpp   Random machines and random schedules, lawful and not, for auditor and umpire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::test {

struct ScheduledGame {
    Machine machine;
    Collective collective;
    Schedule schedule;

    /// The machine, the promise and the transfers, for a failure's message.
    [[nodiscard]] std::string text() const;
};

/// What the operation lets a message carry, one block or a few.
struct Sent {
    Round round;
    NodeId from;
    NodeId to;
    std::vector<Port> route;
    std::vector<PacketBlock> packets;
};

/// A stream of games that follows from a seed: schedules recorded from the catalogue's algorithms, the same after some
/// transfers were removed, repeated, moved, turned round, redirected, relabelled or lengthened, perhaps on a machine with
/// other rules, and schedules of chance alone. All eight operations, and collectives of
/// one's own; at most 16 nodes. Machines have switches and trunks only on request.
///
/// Callers   one task.
class Games {
  public:
    enum class On : std::uint8_t { links, switches };

    explicit Games(std::uint64_t seed, On on = On::links) : random_(seed), on_(on) {}

    /// A recorded schedule as it is.
    [[nodiscard]] ScheduledGame lawful();
    [[nodiscard]] ScheduledGame mutilated();
    [[nodiscard]] ScheduledGame chance();
    /// One of the three.
    [[nodiscard]] ScheduledGame any();

  private:
    [[nodiscard]] std::size_t below(std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
    }
    [[nodiscard]] bool once_in(std::size_t n) { return below(n) == 0; }
    template <class Container>
    [[nodiscard]] const auto& one_of(const Container& list) {
        return list[below(std::size(list))];
    }

    [[nodiscard]] Machine machine();
    void loosen(Machine& machine);
    [[nodiscard]] Collective collective(const Machine& machine);
    [[nodiscard]] Collective own(NodeId nodes);
    [[nodiscard]] PacketSet some_of(std::uint64_t packets);
    [[nodiscard]] std::vector<PacketBlock> packets(const ScheduledGame& game);
    [[nodiscard]] std::vector<Port> walk(const Topology& topology, NodeId& at, std::size_t hops);
    [[nodiscard]] std::vector<Port> way(const ScheduledGame& game, NodeId& at, std::size_t hops);
    [[nodiscard]] NodeId any_end(const Topology& topology);
    [[nodiscard]] Sent message(const ScheduledGame& game, Round round);
    void mutilate(std::vector<Sent>& sent, const ScheduledGame& game);

    std::mt19937_64 random_;
    On on_;
    std::vector<ScheduledGame> recorded_;  ///< lawful ones
};

}  // namespace kport::test
