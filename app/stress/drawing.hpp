/// @file drawing.hpp   Random machines: families, sizes, ports, duplex, switching, sources; the smallest on which a case still fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "app/stress/subject.hpp"
#include "emulator/base/random.hpp"

namespace kport {

/// Draws a reduction: any operator on any type that it supports; contributions that follow from the seed, or given
/// values, including extreme ones.
[[nodiscard]] Reduction draw_reduction(Dice& dice, NodeId nodes);
/// Draws a machine and a request for the operation: packets of any size from 0 on, for reductions any type and
/// operator. Most machines are small, where most errors show.
/// `on`: the graph of the machine; null: it is drawn. `own`: user-defined reductions, one of which is drawn instead.
[[nodiscard]] Case draw_case(Dice& dice, const Operation& operation, NodeId most,
                             const std::shared_ptr<const Topology>& on = nullptr, std::span<const Reduction> own = {});
/// Whether the topology has the operation: neighbours that are joined by links, say.
[[nodiscard]] bool has_operation(const Topology& topology, const Operation& operation);
/// Draws options for an algorithm: which part is kept, the order of dimensions. Where there are switches, messages may wait.
void draw_options(Dice& dice, const Algorithm& algorithm, Case& c);
/// Draws two groups for an algorithm in phases: one node, and all others.
void draw_groups(Dice& dice, Case& c);
/// Resets to the defaults of a run: messages wait for ports, are combined, and carry one packet of each.
void ask_for_defaults(Case& c);
/// Simplifies a case as far as the algorithm allows, so that engines may run it without coroutines: store-and-forward,
/// one port, full duplex, packets with bytes; for reductions, numbers, with any operator, commutative or not.
/// `packets_each`: the number of packets; nothing: draws it, and which simplifications are skipped.
void draw_plain(Dice& dice, const Algorithm& algorithm, Case& c, std::optional<std::uint64_t> packets_each);

/// Whether a case still fails in the same way.
using StillFails = std::function<bool(const Case&)>;

struct Shrunk {
    Case c;
    std::uint64_t tries = 0;  ///< cases tried
    bool smallest = false;    ///< every smaller machine of the families was tried, from every source
};

/// First simplifies the case step by step (one port, full duplex, store-and-forward, source 0, shorter sides), then
/// tries all smaller machines, the smallest first, from every source, until one fails or `tries_max` are used up.
///
/// Requires  still_fails(c).
[[nodiscard]] Shrunk shrunk(const Case& c, const Subject& subject, const StillFails& still_fails,
                            std::uint64_t tries_max);

}  // namespace kport
