/// @file formula.hpp   "There is a schedule of T rounds" as a formula.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "app/search/problem.hpp"
#include "app/search/solver.hpp"
#include "app/search/symmetry.hpp"

namespace kport::search {

/// A representative order of the source's first sends: the sends so far, and the neighbours that can be excluded next.
struct FirstSends {
    std::vector<Node32> so_far;
    std::vector<Node32> not_next;
};

/// Broadcast from one source through one port: the source sends in every round until its neighbours are informed, so
/// the j-th send may be restricted to one node of each kind (Symmetry, with the source and the earlier sends fixed).
[[nodiscard]] std::vector<FirstSends> first_sends(const Graph& graph, Node32 source);

/// Returns the approximate memory of a solver for a schedule of `rounds` rounds as clauses.
[[nodiscard]] double bytes_of_broadcast(const Graph& graph, Round rounds);
[[nodiscard]] double bytes_of_gossip(const Graph& graph, Round rounds);

/// A broadcast.
///
/// Variables  told(v, x): v is informed after round x, from its distance d(v) on and before the last; send(u, v, x): u
///            sends to v.
/// Sound      We may assume that a node idles only if all its neighbours are informed: receiving earlier never hurts.
class BroadcastFormula {
  public:
    BroadcastFormula(Solver& solver, const Graph& graph, std::span<const Node32> sources, Port ports, Round rounds,
                     std::span<const FirstSends> symmetry);
    /// Only after the answer yes.
    [[nodiscard]] Calls calls() const;

  private:
    [[nodiscard]] Literal told(Node32 v, Round round) const;
    [[nodiscard]] Literal send(Node32 u, Node32 v, Round round) const;
    void declare();
    void add_sends(Node32 u, Round round);
    void add_receipts(Node32 v, Round round);
    void add_symmetry(std::span<const FirstSends> symmetry);
    /// Calls visit(v, variable) for each send of u in a round.
    template <class Visit>
    void each_send(Node32 u, Round round, const Visit& visit) const;

    Solver& solver_;
    const Graph& graph_;
    Port ports_;
    Round rounds_;
    std::vector<std::uint32_t> distance_;
    std::vector<Literal> told_;              ///< at [v * rounds + x], 0 if there is none
    std::vector<std::uint64_t> first_send_;  ///< of each node, index in sends_
    std::vector<Literal> sends_;             ///< by channel and round of a node, 0 if there is none
};

/// A gossip.
///
/// Variables  knows(v, p, x): v knows p's packet after round x, from the distance of v and p on and before the last;
///            call(u, v, x): u sends to v (telephone: and v to u); brings(u, v, p, x): p's packet comes with it.
class GossipFormula {
  public:
    GossipFormula(Solver& solver, const Graph& graph, Mode mode, Port ports, Round rounds,
                  std::span<const Automorphism> symmetry);
    /// Only after the answer yes.
    [[nodiscard]] Calls calls() const;

  private:
    [[nodiscard]] Literal knows(Node32 v, Node32 p, Round round) const;
    [[nodiscard]] Literal call(Node32 u, Node32 v, Round round) const;
    void declare();
    void add_ports(Round round);
    /// Nodes that can call each other do: receiving earlier never hurts.
    void add_eagerness(Round round);
    /// A node that receives in every round hears of at most 2^T nodes; idling in round x loses half of what it would
    /// know then, 2^(x-1). Reversed in time this holds for the nodes that hear of it.
    void add_counts(Node32 v);
    /// Keeps, of the schedules that automorphisms map to each other, the one whose first round comes first.
    void add_symmetry(std::span<const Automorphism> symmetry);
    void add_news(Node32 v, Node32 p, Round round);

    Solver& solver_;
    const Graph& graph_;
    Mode mode_;
    Port ports_;
    Round rounds_;
    std::vector<std::vector<std::uint32_t>> distance_;
    std::vector<Literal> knows_;     ///< at [(v * N + p) * rounds + x], 0 if there is none
    std::vector<Literal> sends_;     ///< at [v * rounds + x - 1]: v sends in round x
    std::vector<Literal> receives_;  ///< at [v * rounds + x - 1]: v receives in round x
    std::vector<std::map<std::pair<Node32, Node32>, Literal>> calls_;  ///< by round
};

}  // namespace kport::search
