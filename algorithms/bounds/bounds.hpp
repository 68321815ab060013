/// @file bounds.hpp   Lower bounds on the cost of an operation on a machine (model.md section 2). Never looks at a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/machine/quantity.hpp"
#include "emulator/schedule/collective.hpp"

namespace KPORT_PUBLIC kport {

/// One argument for a lower bound: "fan-out: ceil(log2 1024)" with its value and its source.
struct Argument {
    std::string name;    ///< with numbers: "fan-out: ceil(log2 1024)"
    double value = 0;    ///< the bound that it gives
    std::string why;     ///< one sentence for `explain`
    std::string source;  ///< lemma or paper
};

/// Whether some schedule is known to meet a bound on this machine.
enum class Reachable : std::uint8_t { yes, no, unknown };

/// A lower bound for one quantity: the largest of its arguments. Without arguments there is no bound.
struct Bound {
    std::vector<Argument> arguments;  ///< the binding one first
    Reachable reachable = Reachable::unknown;
    std::string reachable_why;  ///< one clause: "NP-complete to decide on a general graph (Garey-Johnson ND49)"
    std::string met_by = {};    ///< a schedule that is known to meet it; empty if there is none
    /// If unreachable: no schedule costs less than this, which exceeds largest().
    std::optional<double> least = {};
    /// If unknown: the least cost of a known schedule.
    std::optional<double> best_known = {};

    /// Returns the largest argument's value; nothing if there is no bound.
    [[nodiscard]] std::optional<double> largest() const {
        return arguments.empty() ? std::nullopt : std::optional(arguments.front().value);
    }
    /// Returns the name of the binding argument; empty if there is no bound.
    [[nodiscard]] std::string binding() const { return arguments.empty() ? std::string() : arguments.front().name; }
};

/// In rounds, hops, hops, bytes and time units.
using Bounds = PerQuantity<Bound>;

/// Returns lower bounds of every quantity. Whether they are reachable is judged by schedules known apart from the
/// catalogue; reached_bounds() adds its algorithms. Any thread; O(diameter * dimensions). No allocation that grows with
/// N, except for searches in graphs of up to a million channels, done once for a graph, its ports and its root
/// (kept.hpp).
[[nodiscard]] Bounds lower_bounds(const Machine& machine, const Collective& collective);

}  // namespace kport
