/// @file drawing.hpp   Machines at random: families, sizes, odd and even sides, ports, duplex, switching, sources.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "app/stress/subject.hpp"
#include "emulator/base/dice.hpp"

namespace kport {

/// What is folded, and how: any operator on any type that it is defined for; contributions that follow from the seed, or
/// values given, extremes among them.
[[nodiscard]] Reduction draw_reduction(Dice& dice, NodeId nodes);
/// A machine and a request for the operation: packets of any size from 0 on, of a reduction any type and operator. Most machines
/// are small, where most of what can go wrong shows.
/// `on`: the graph of the machine; null: it is drawn. `own`: reductions of a user's own, of which one is drawn instead.
[[nodiscard]] Case draw_case(Dice& dice, const Operation& operation, NodeId most,
                             const std::shared_ptr<const Topology>& on = nullptr, std::span<const Reduction> own = {});
/// Options for an algorithm: which part is kept, the order of dimensions.
void draw_options(Dice& dice, const Algorithm& algorithm, Case& c);
/// What a run asks unless options say otherwise: messages wait for ports, are combined, and carry one packet of each.
void ask_for_defaults(Case& c);
/// Simplifies a case as far as the algorithm allows, so that engines may run it without programs: store-and-forward, one port, full
/// duplex, packets with bytes; for reductions, numbers, by any operator, one that does not commute among them.
/// `packets_each`: how many there are of each; nothing: draws that, and which simplifications are left out.
void draw_plain(Dice& dice, const Algorithm& algorithm, Case& c, std::optional<std::uint64_t> packets_each);

}  // namespace kport
