/// @file presets.hpp   Prices from the parameters of other models of communication.
#pragma once

#include <string_view>

#include "emulator/machine/machine.hpp"

namespace kport {

/// Returns ts, td and tm for one of
///   alpha-beta:A,B and hockney:A,B   A + B bytes (Hockney 1994)
///   postal:LAMBDA                    a message arrives LAMBDA after its send begins (Bar-Noy, Kipnis 1992)
///   logp:L,o,g                       L + 2 o (Culler et al. 1993)
///   loggp:L,o,g,G                    L + 2 o + (bytes - 1) G (Alexandrov et al. 1995)
/// Throws RequestError, which begins with `where`, for any other text and for parameters out of range.
[[nodiscard]] Costs preset_costs(std::string_view text, std::string_view where);

/// Whether senders of the model go on before a message arrives. Rounds are synchronous, so a latency is an upper bound
/// there.
[[nodiscard]] bool overlaps_sends(const Costs& costs);
inline constexpr std::string_view note_of_overlap =
    "rounds are synchronous: LogP may overlap sends; this is an upper bound there";

}  // namespace kport
