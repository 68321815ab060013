/// @file chains.hpp   How many nodes a broadcast can have reached after so many rounds, from the degrees of the graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kport::bounds {

/// The nodes that learn a packet, counted by the chain of sends over which it comes, store and forward.
///
/// A node is named by its chain: in which round after its own receipt each node of the chain sent, and which of its at most k
/// sends of that round it was. A source sends to as many others as it has links, every other node to one less, at most k a
/// round: mu(D, a) = max(0, min(k, D - k(a-1))) in the a-th round. So at most p(h, x) nodes learn over h sends in round x, with
/// p(1, x) = sum over the sources of mu(deg s, x) and p(h, x) = sum over a of mu(D, a) p(h-1, x-a), where D is the largest
/// degree of the others less one.
///
/// Cost     round x: O(x min(x, D / k)).  Memory  8 bytes for each h < x, of min(x, D / k) rounds.
class Chains {
  public:
    /// `enough`: counts end there. `degree`: the largest among the nodes that are no source.
    Chains(std::vector<std::uint64_t> source_degrees, std::uint64_t degree, std::uint64_t ports, std::uint64_t enough);

    /// One round more.
    void advance();
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
    /// How many nodes at most have learned over `sends` sends or more (at least one), in the rounds so far; `enough` where it is
    /// that many or more.
    [[nodiscard]] std::uint64_t reached(std::uint64_t sends) const;
    /// Whether far[d] nodes or more can have learned over d sends or more, for every d from 1 on.
    [[nodiscard]] bool reach(std::span<const std::uint64_t> far) const;

  private:
    /// To how many a node sends in the a-th round after its receipt.
    [[nodiscard]] std::uint64_t sent(std::uint64_t sends, std::uint64_t a) const;

    std::vector<std::uint64_t> source_degrees_;
    std::uint64_t sends_;  ///< of a node that is no source
    std::uint64_t ports_;
    std::uint64_t enough_;
    std::uint64_t rounds_ = 0;
    std::vector<std::vector<std::uint64_t>>
        by_round_;                        ///< p(h, x) at [x][h]; those that nobody sends on from any more are empty
    std::vector<std::uint64_t> learned_;  ///< at [h], in all rounds so far
};

/// The least number of rounds in which all nodes can have the packet if a source sends to as many others as it has links and
/// every other node to one less, at most k a round, and nodes of higher degree learn first (Liestman, Peters 1988).
/// `others`: at [d] the number of nodes of degree d that are no source. O(rounds * different degrees).
[[nodiscard]] std::uint64_t rounds_by_degrees(std::span<const std::uint64_t> source_degrees,
                                              std::vector<std::uint64_t> others, std::uint64_t ports);

}  // namespace kport::bounds
