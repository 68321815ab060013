/// @file counting.hpp   Exact integers for lower bounds, on machines of up to 2^40 nodes, and how many nodes a broadcast can reach.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kport::bounds {

/// Wide enough for the sum of all distances of a line of 2^40 nodes (below 2^120) and for any volume in bytes.
__extension__ using Count = unsigned __int128;

/// Returns the smallest r with base^r >= n: the rounds of a set that grows at most base-fold a round. base >= 2, n >=
/// 1. O(log n), exact.
[[nodiscard]] std::uint64_t ceil_log(std::uint64_t base, std::uint64_t n);

[[nodiscard]] constexpr Count ceil_div(Count a, Count b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Returns how many nodes at most receive a message over a chain of `least_hops` or more messages within `rounds`
/// rounds, if each holder sends to at most `ports` others a round; capped at `enough`.
///
/// A node is identified by the rounds of its chain, which increase, and by the choice among `ports` in each: over l
/// messages there are C(rounds, l) * ports^l such chains, summed over l >= least_hops. With least_hops = 0 it is
/// (ports+1)^rounds.
/// Cost      O(min(rounds - least_hops, log enough)): from the longest chains down, until enough is reached.
[[nodiscard]] std::uint64_t reachable_over(std::uint64_t least_hops, std::uint64_t rounds, std::uint64_t ports,
                                           std::uint64_t enough);

/// The nodes that receive a packet, counted by the chain of sends through which it comes, store-and-forward.
///
/// A node is identified by its chain: in which round after its own receipt each node of the chain sent, and which of
/// its at most k sends of that round it was. A source sends to as many others as it has links, every other node to one
/// less, at most k a round: mu(D, a) = max(0, min(k, D - k(a-1))) in the a-th round. So at most p(h, x) nodes receive
/// over h sends in round x, with p(1, x) = sum over the sources of mu(deg s, x) and p(h, x) = sum over a of mu(D, a)
/// p(h-1, x-a), where D is one less than the largest degree of the others.
///
/// Cost     round x: O(x min(x, D / k)).  Memory  8 bytes for each h < x, of min(x, D / k) rounds.
class Chains {
  public:
    /// `enough`: counts are capped at it. `degree`: the largest among the nodes that are no source.
    Chains(std::vector<std::uint64_t> source_degrees, std::uint64_t degree, std::uint64_t ports, std::uint64_t enough);

    /// Advances by one round.
    void advance();
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
    /// Returns how many nodes at most have received over at least `sends` (>= 1) sends so far, capped at `enough`.
    [[nodiscard]] std::uint64_t reached(std::uint64_t sends) const;
    /// Whether at least far[d] nodes can have received over d sends or more, for every d from 1 on.
    [[nodiscard]] bool reach(std::span<const std::uint64_t> far) const;

  private:
    /// Returns the number of sends of a node in the a-th round after its receipt.
    [[nodiscard]] std::uint64_t sent(std::uint64_t sends, std::uint64_t a) const;

    std::vector<std::uint64_t> source_degrees_;
    std::uint64_t sends_;  ///< sends of a node that is no source
    std::uint64_t ports_;
    std::uint64_t enough_;
    std::uint64_t rounds_ = 0;
    std::vector<std::vector<std::uint64_t>> by_round_;  ///< p(h, x) at [x][h]; empty once no node sends on from there
    std::vector<std::uint64_t> learned_;                ///< at [h], in all rounds so far
};

/// Returns the least number of rounds in which all nodes can have the packet if a source sends to as many others as it
/// has links and every other node to one less, at most k a round, and nodes of higher degree receive first (Liestman,
/// Peters 1988). `others`: at [d] the number of nodes of degree d that are no source. O(rounds * different degrees).
[[nodiscard]] std::uint64_t rounds_by_degrees(std::span<const std::uint64_t> source_degrees,
                                              std::vector<std::uint64_t> others, std::uint64_t ports);

}  // namespace kport::bounds
