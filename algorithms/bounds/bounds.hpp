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

/// A lower bound for one quantity: the largest of its arguments. No argument known: no bound.
struct Bound {
    std::vector<Argument> arguments;  ///< the one that binds first
    Reachable reachable = Reachable::unknown;
    std::string reachable_why;  ///< one clause: "NP-complete to decide on a general graph (Garey-Johnson ND49)"
    std::string met_by = {};    ///< the schedule that is known to meet it; empty where none is
    /// Out of reach: no schedule costs less than this, which is more than largest().
    std::optional<double> least = {};
    /// Unknown: the least that a schedule is known to cost.
    std::optional<double> best_known = {};

    /// What binds: the value of the largest argument; nothing where there is no bound.
    [[nodiscard]] std::optional<double> largest() const {
        return arguments.empty() ? std::nullopt : std::optional(arguments.front().value);
    }
    /// The argument that binds; empty where there is no bound.
    [[nodiscard]] std::string binding() const { return arguments.empty() ? std::string() : arguments.front().name; }
};

/// In rounds, hops, hops, bytes and time units.
using Bounds = PerQuantity<Bound>;

/// Lower bounds of every quantity. What is said to be reachable is so by schedules that are known apart from the catalogue;
/// reached_bounds() adds what its algorithms reach. Any thread; O(diameter * dimensions). No allocation that grows with N, but
/// for what is searched for in graphs of up to a million channels: once for a graph, its ports and its root (kept.hpp).
[[nodiscard]] Bounds lower_bounds(const Machine& machine, const Collective& collective);

}  // namespace kport
