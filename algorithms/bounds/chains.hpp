/// @file chains.hpp   How many nodes a broadcast can have reached after so many rounds, from the degrees of the graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kport::bounds {

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
