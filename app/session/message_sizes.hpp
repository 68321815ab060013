/// @file message_sizes.hpp   Messages of many sizes: into how many packets an algorithm cuts each, and from which size which
///                           algorithm is the cheapest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/choice.hpp"
#include "app/session/experiment.hpp"
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

/// A message as an algorithm moves it at the smallest predicted latency.
struct CutMessage {
    const Algorithm* algorithm = nullptr;
    std::uint64_t packets = 1;       ///< M (model.md section 13)
    std::uint64_t packet_bytes = 0;  ///< the message over M, rounded up to whole elements
    PredictedCost predicted;
};

/// The algorithms that apply to a message of one size, the cheapest first.
struct MessageSize {
    std::uint64_t bytes = 0;
    std::vector<CutMessage> cuts;
    /// No schedule has a smaller latency, whatever the cut; nothing where no bound is known.
    std::optional<double> bound;
};

/// An algorithm and a message of one size, over M.
struct CutCurve {
    CutMessage best;
    std::vector<CutMessage> cuts;  ///< those that were looked at, by M
    bool ends_early = false;       ///< some are missing, since only too long a rehearsal would tell their latency
};

/// The algorithms that apply (those alone that the experiment names, where it names any), the cheapest first. Throws as
/// compare_sizes(), which looks at the same cuts.
[[nodiscard]] std::vector<CutCurve> curves_over_cuts(const Experiment& experiment, std::uint64_t bytes,
                                                     const std::function<void(const Algorithm& algorithm)>& tell = {});

/// The rounds of the curve's algorithm over M, where every cut that was looked at costs its rounds of one packet each and its
/// predictions have such a formula; nothing where bytes or rounds cost nothing.
[[nodiscard]] std::optional<SteadyRounds> rounds_of_single_packets(const Experiment& experiment, std::uint64_t bytes,
                                                                   const CutCurve& curve);

/// Where messages are bundles, trees move all packets in each: an algorithm that would move the message at a smaller latency than
/// `best` on a machine whose messages hold one packet. Nothing where none would.
[[nodiscard]] std::optional<CutMessage> cheaper_without_bundles(const Experiment& experiment, std::uint64_t bytes,
                                                                const CutMessage& best);

/// Where the best is not to cut: why the algorithm does not run with the message cut. Nothing where it does, but costs more, and
/// where the message cannot be cut.
[[nodiscard]] std::optional<std::string> why_uncut(const Experiment& experiment, std::uint64_t bytes,
                                                   const CutMessage& best);

/// The experiment with the message as it is cut.
[[nodiscard]] Experiment experiment_of_cut(const Experiment& experiment, const CutMessage& cut);

/// The lower bound on the latency of the message in M packets; nothing where none is known. Throws as compare_sizes().
[[nodiscard]] std::optional<double> bound_of_cut(const Experiment& experiment, std::uint64_t bytes,
                                                 std::uint64_t packets);

/// From which size on another algorithm is the cheapest.
struct Change {
    std::uint64_t bytes = 0;  ///< the first size, to the byte or element between two that were asked for
    const Algorithm* algorithm = nullptr;
};

/// The cheapest algorithm of the smallest of some sizes, and where another is it: between two neighbours with other cheapest
/// algorithms the size is searched for by halving, as if the two crossed once; so on between these and a third that is cheaper there.
[[nodiscard]] std::vector<Change> changes_of(const Experiment& experiment, std::vector<MessageSize> sizes);

/// For each size, in its order: each algorithm at the M that costs it least (of those alone that the experiment names, where it
/// names any). The experiment's packets do not count. Where formulas tell the latency, that is the least of all M up to 2^24;
/// where rehearsals do, of all M if packets have few sizes, else of powers of two, those times N, N - 1 and the ports, all bytes
/// (elements) apart, and some between the neighbours of the best. Reductions cut no element. Runs nothing but
/// rehearsals on small machines. Throws RequestError where no algorithm applies, for a size of 0 bytes or of a part of an element,
/// and for signals, which have none.
///
/// tell   called before each algorithm is looked at.
[[nodiscard]] std::vector<MessageSize> compare_sizes(
    const Experiment& experiment, std::span<const std::uint64_t> sizes,
    const std::function<void(std::uint64_t bytes, const Algorithm& algorithm)>& tell = {});

}  // namespace kport
