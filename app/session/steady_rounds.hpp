/// @file steady_rounds.hpp   The rounds of a pipeline as a formula of M, read off its predictions (model.md section 13.4).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "emulator/machine/machine.hpp"

namespace KPORT_PUBLIC kport {

/// rounds(M) = step * ceil((M + shift) / group) + more.
struct SteadyRounds {
    std::uint64_t step = 1;   ///< the rounds that another group of packets takes
    std::uint64_t group = 1;  ///< packets that go at the same time
    std::uint64_t shift = 0;  ///< less than a group
    std::int64_t more = 0;    ///< until the first packets are where they go

    [[nodiscard]] std::int64_t at(std::uint64_t packets) const;
    /// "2 M + 4", "ceil((M + 1) / 3) + 2".
    [[nodiscard]] std::string text() const;

    /// The rounds are never fewer than step / group times M and this over the group.
    [[nodiscard]] std::int64_t waiting() const;
    /// Of single packets, a message of so many bytes: the M at which the latency without rounding is least, and that least.
    /// Require waiting() > 0, and that startups or hops have a price.
    [[nodiscard]] double best_packets(double bytes, const Costs& costs) const;
    [[nodiscard]] double least_latency(double bytes, const Costs& costs) const;
};

/// Read off the first two steps of the rounds, and compared with others; nothing where they have no such formula, or no two steps up
/// to `most`.
///
/// rounds_at   of M packets; nothing where it cannot be told. Asked for O(log) values of M.
[[nodiscard]] std::optional<SteadyRounds> steady_rounds(
    const std::function<std::optional<std::uint64_t>(std::uint64_t packets)>& rounds_at, std::uint64_t most);

}  // namespace kport
