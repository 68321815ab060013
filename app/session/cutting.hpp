/// @file cutting.hpp   One message, cut into M packets as an algorithm is predicted to move them at the smallest latency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "app/session/message_sizes.hpp"

namespace kport {

/// The bytes that no cut divides: those of an element, where elements are folded.
[[nodiscard]] std::uint64_t unit_of(const Experiment& experiment);

/// The message of so many bytes; Requires M units in it.
class UncutMessage {
  public:
    UncutMessage(const Experiment& experiment, std::uint64_t bytes);

    /// The largest M, and the largest that is tried.
    [[nodiscard]] std::uint64_t units() const { return units_; }
    [[nodiscard]] std::uint64_t most_packets() const;
    [[nodiscard]] std::uint64_t bytes_in(std::uint64_t packets) const {
        return (units_ / packets + (units_ % packets == 0 ? 0 : 1)) * unit_;
    }
    [[nodiscard]] Collective in(std::uint64_t packets) const { return in(packets, bytes_in(packets)); }
    [[nodiscard]] Collective in(std::uint64_t packets, std::uint64_t packet_bytes) const {
        Collective collective = experiment_.collective;
        collective.packets_each = packets;
        collective.packet_bytes = packet_bytes;
        return collective;
    }

  private:
    const Experiment& experiment_;
    std::uint64_t units_;
    std::uint64_t unit_;
};

/// What M may well be: a power of two, and the fewest packets of its size; times N, N - 1, the ports, or two of them (blocks for each
/// node, parts for each port); all units apart.
[[nodiscard]] std::vector<std::uint64_t> coarse_cuts(const Experiment& experiment, const UncutMessage& message);

/// One algorithm and one message.
class Cutting {
  public:
    Cutting(const Experiment& experiment, const Algorithm& algorithm, std::uint64_t bytes)
        : experiment_(experiment), algorithm_(algorithm), message_(experiment, bytes) {}

    /// Nothing where the algorithm runs at no cut that is looked at.
    [[nodiscard]] std::optional<CutCurve> curve();
    /// Nothing where they are not told exactly.
    [[nodiscard]] std::optional<std::uint64_t> rounds_in(std::uint64_t packets);
    [[nodiscard]] std::uint64_t most_packets() const { return message_.most_packets(); }

  private:
    /// Infinity where the algorithm does not run so.
    double latency_at(std::uint64_t packets);
    [[nodiscard]] bool runs_in(std::uint64_t packets) const;
    /// Whether a formula tells the latency, if the algorithm runs so.
    [[nodiscard]] bool has_formula(std::uint64_t packets) const;
    /// Among all cuts, by formula: it grows with M, and with the bytes of a packet.
    void find_the_least();
    /// No cut from `low` to `high` packets costs less. Infinity where the algorithm runs in neither.
    [[nodiscard]] double least_from(std::uint64_t low, std::uint64_t high, double volume) const;
    /// In bytes: no cut moves fewer, since packets of one unit fill rounds at least as well. 0 where this is not known.
    [[nodiscard]] double volume_of_all_apart() const;
    [[nodiscard]] ExpectedCost formula(const Collective& collective) const;
    /// As predicted_cost(), but for rehearsals of too many packets. Plans are as large as a choice makes them, all together.
    [[nodiscard]] std::optional<PredictedCost> predicted(const Collective& collective);
    [[nodiscard]] bool may_be_rehearsed(const Collective& collective) const;

    /// Where only rehearsals tell the latency, the packets that those of all cuts move.
    static constexpr std::uint64_t all_rehearsed_max = 8'000'000;

    const Experiment& experiment_;
    const Algorithm& algorithm_;
    UncutMessage message_;
    std::uint64_t rehearsals_left_ = all_rehearsed_max;  ///< in packets
    bool some_too_long_ = false;
    double large_plans_left_ = effort_if_better.plan_bytes;  ///< in bytes
    std::map<std::uint64_t, CutMessage> cuts_;               ///< by M
};

/// The least M with packets of the size that M = `packets` has.
[[nodiscard]] std::uint64_t fewest_packets(std::uint64_t units, std::uint64_t packets);

/// Of the M from `low` to `high` those that are the least with packets of their size, and `low`; nothing where these are more than
/// `few`.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> cuts_between(std::uint64_t units, std::uint64_t low,
                                                                     std::uint64_t high, std::size_t few);

/// The least of a latency over the cuts of `units` into M = 1..`most` packets of ceil(units / M). Where it grows neither with a
/// smaller M nor with smaller packets, of the M with packets of one size the smallest costs least: there are about 2 sqrt(units)
/// sizes. Ranges of these M are halved, the one with the least bound first, until that bound is met by a cut.
///
/// least_from   no cut from low to high packets has less; of low == high its latency.
/// tries        so many halvings at most: then a bound is returned that holds for all cuts, and no cut may meet it.
[[nodiscard]] double least_over_cuts(std::uint64_t units, std::uint64_t most,
                                     const std::function<double(std::uint64_t low, std::uint64_t high)>& least_from,
                                     int tries);

}  // namespace kport
