/// @file solver.hpp   A satisfiability solver in this process: CaDiCaL, if kport was built with it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/search/problem.hpp"
#include "app/search/proof.hpp"

namespace kport::search {

/// A variable, or its negation as the negative number; or a constant.
using Literal = int;
inline constexpr Literal always = 0x7FFFFFFF;
inline constexpr Literal never = -always;

/// Returns "CaDiCaL 1.5.3"; empty if kport was built without a solver.
[[nodiscard]] std::string solver_name();

/// Thrown where a formula is stopped while it is made, which may take longer than to solve it. No error: the answer is stopped.
struct FormulaStopped {};

/// A formula: clauses, each of which must hold, of literals, one of which must be true.
///
/// Errors   std::bad_alloc.
class Solver {
  public:
    /// proof   receives the formula and the steps to the answer no, once; may be null. It must outlive the solver.
    /// stop    asked every few thousand clauses and variables; true throws FormulaStopped. May be empty.
    explicit Solver(ProofFile* proof = nullptr, Stop stop = {});
    ~Solver();
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    [[nodiscard]] Literal variable() {
        look_for_stop();
        return ++variables_;
    }
    /// Adds a clause. The constants `always` and `never` are simplified away.
    void add(std::span<const Literal> clause);
    void add(std::initializer_list<Literal> clause) { add(std::span(clause.begin(), clause.size())); }
    /// At most one, or at most k, of some literals.
    void at_most_one(std::span<const Literal> literals);
    void at_most(Port k, std::span<const Literal> literals);
    /// Counts literals up to `most`: result[j] holds if more than j of them do. At most as long as they are many. O(n * most).
    [[nodiscard]] std::vector<Literal> counted(std::span<const Literal> literals, std::size_t most);
    /// Of two lists of literals: at the first pair that differs, the one on the left holds.
    void not_after(std::span<const std::pair<Literal, Literal>> pairs);
    /// What the next solve() takes for true; only that one.
    void assume(Literal literal);

    [[nodiscard]] std::uint64_t variables() const { return static_cast<std::uint64_t>(variables_); }
    [[nodiscard]] std::uint64_t clauses() const { return clauses_; }
    /// Calls `stop` often, and returns stopped if it returns true.
    [[nodiscard]] Answer solve(const Stop& stop);
    /// Returns the number of conflicts so far.
    [[nodiscard]] std::uint64_t conflicts() const;
    /// Only after the answer yes.
    [[nodiscard]] bool holds(Literal literal) const;

  private:
    void look_for_stop() {
        constexpr std::uint32_t steps_between = 4096;
        if (++steps_ % steps_between == 0 && stop_ && stop_()) throw FormulaStopped();
    }

    class Engine;
    std::unique_ptr<Engine> engine_;
    ProofFile* proof_;
    Stop stop_;
    std::uint32_t steps_ = 0;
    int variables_ = 0;
    std::uint64_t clauses_ = 0;
};

}  // namespace kport::search
