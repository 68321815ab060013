/// @file execution.hpp   The parts of the engines that execute runs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// One way to execute a run, or part of it.
enum class Execution : std::uint8_t {
    programs,      ///< nodes are coroutines
    scripts,       ///< nodes are coroutines that follow a schedule (engine/script.hpp)
    forwarding,    ///< a broadcast of one packet, by cursors
    splitting,     ///< a scatter, by cursors that cut bodies
    timetable,     ///< a broadcast by cursors on a timetable
    in_step,       ///< a broadcast by a timetable, without mail
    exchange,      ///< values exchanged without programs
    relay,         ///< segments relayed without programs
    small_rounds,  ///< rounds whose few messages are in one list
    full_rounds,   ///< rounds in phases, with mailboxes between partitions
    arbitration,   ///< rounds in which competing claims were granted in turn
    order,         ///< nodes ran in a given order
    threads,       ///< several threads shared the work
    ranks,         ///< several ranks shared the nodes
    free_running,  ///< without rounds
    replay,        ///< a recorded schedule, without programs
    mover          ///< only the bytes of a recorded schedule
};
inline constexpr std::size_t executions_count = 17;
/// "programs", "small rounds", ...
[[nodiscard]] std::string_view name(Execution execution);

/// A set of executions.
class Executions {
  public:
    constexpr Executions() = default;
    constexpr Executions(std::initializer_list<Execution> all) {
        for (const Execution execution : all) add(execution);
    }

    constexpr void add(Execution execution, bool takes_part = true) {
        if (takes_part) bits_ |= bit(execution);
    }
    constexpr void add(const Executions& others) { bits_ |= others.bits_; }
    [[nodiscard]] constexpr bool contains(Execution execution) const { return (bits_ & bit(execution)) != 0; }
    [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

    constexpr auto operator<=>(const Executions&) const = default;

  private:
    [[nodiscard]] static constexpr std::uint32_t bit(Execution execution) {
        return std::uint32_t{1} << static_cast<unsigned>(execution);
    }

    std::uint32_t bits_ = 0;
};

}  // namespace kport
