#include "app/search/solver.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "emulator/base/error.hpp"

#ifdef KPORT_CADICAL
#include <cadical.hpp>
#endif

namespace kport::search {

#ifdef KPORT_CADICAL

std::string solver_name() { return std::string("CaDiCaL ") + CaDiCaL::Solver::version(); }

class Solver::Engine final : public CaDiCaL::Terminator, public CaDiCaL::Learner {
  public:
    explicit Engine(const ProofFile* proof) : proves_(proof != nullptr) {
        solver_.set("quiet", 1);
        if (proves_) {
            solver_.set("binary", 0);
            solver_.trace_proof(proof->steps(), "the proof");
        }
        solver_.connect_terminator(this);
        solver_.connect_learner(this);
    }
    ~Engine() override {
        solver_.disconnect_learner();
        solver_.disconnect_terminator();
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    void add(Literal literal) { solver_.add(literal); }
    void assume(Literal literal) { solver_.assume(literal); }
    [[nodiscard]] Answer solve(const Stop& stop) {
        constexpr int satisfiable = 10;
        constexpr int unsatisfiable = 20;
        stop_ = &stop;
        const int answer = solver_.solve();
        if (std::exchange(proves_, false)) solver_.close_proof_trace();
        return answer == satisfiable ? Answer::yes : answer == unsatisfiable ? Answer::no : Answer::stopped;
    }
    [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
    [[nodiscard]] bool holds(Literal literal) { return solver_.val(literal) > 0; }

    bool terminate() override { return (*stop_)(); }
    /// Counts a conflict; each one learns a clause.
    bool learning(int) override {
        ++conflicts_;
        return false;
    }
    void learn(int) override {}

  private:
    CaDiCaL::Solver solver_;
    bool proves_;
    const Stop* stop_ = nullptr;
    std::uint64_t conflicts_ = 0;
};

#else

std::string solver_name() { return {}; }

class Solver::Engine {
  public:
    explicit Engine(const ProofFile*) {}
    void add(Literal) {}
    void assume(Literal) {}
    [[nodiscard]] Answer solve(const Stop&) { return Answer::stopped; }
    [[nodiscard]] std::uint64_t conflicts() const { return 0; }
    [[nodiscard]] bool holds(Literal) { return false; }
};

#endif

Solver::Solver(ProofFile* proof, Stop stop)
    : engine_(std::make_unique<Engine>(proof)), proof_(proof), stop_(std::move(stop)) {}
Solver::~Solver() = default;

void Solver::add(std::span<const Literal> clause) {
    look_for_stop();
    if (std::ranges::find(clause, always) != clause.end()) return;
    ++clauses_;
    std::vector<Literal> literals;
    std::ranges::remove_copy(clause, std::back_inserter(literals), never);
    for (const Literal literal : literals) engine_->add(literal);
    engine_->add(0);
    if (proof_ != nullptr) proof_->add(literals);
}

void Solver::at_most_one(std::span<const Literal> literals) {
    constexpr std::size_t pairs_max = 5;
    std::vector<Literal> left(literals.begin(), literals.end());
    std::size_t first = 0;
    while (left.size() - first > pairs_max) {
        // Splits a clause into one of three with a new variable, and one of its negation and the rest.
        const Literal split = variable();
        const Literal piece[] = {left[first], left[first + 1], left[first + 2], split};
        at_most_one(piece);
        first += 2;
        left[first] = -split;
    }
    for (std::size_t i = first; i < left.size(); ++i)
        for (std::size_t j = i + 1; j < left.size(); ++j) add({-left[i], -left[j]});
}

void Solver::at_most(Port k, std::span<const Literal> literals) {
    if (literals.size() <= k) return;
    if (k == 1) return at_most_one(literals);
    if (k == 0) {
        for (const Literal literal : literals) add({-literal});
        return;
    }
    // counted[j]: at least j + 1 of the literals so far (Sinz 2005).
    std::vector<Literal> counted(k, never);
    for (const Literal literal : literals) {
        add({-literal, -counted[k - 1]});
        std::vector<Literal> next(k);
        for (Port j = 0; j < k; ++j) {
            next[j] = variable();
            add({-counted[j], next[j]});
            add({-literal, j == 0 ? never : -counted[j - 1], next[j]});
        }
        counted = std::move(next);
    }
}

std::vector<Literal> Solver::counted(std::span<const Literal> literals, std::size_t most) {
    if (literals.size() <= 1) return {literals.begin(), literals.end()};
    // Both halves, and the sums of their counts (Bailleux, Boufkhad 2003).
    const std::size_t half = literals.size() / 2;
    const std::vector<Literal> left = counted(literals.first(half), most);
    const std::vector<Literal> right = counted(literals.subspan(half), most);
    std::vector<Literal> both(std::min(most, left.size() + right.size()));
    for (Literal& literal : both) literal = variable();
    for (std::size_t i = 0; i <= left.size(); ++i)
        for (std::size_t j = 0; j <= right.size(); ++j) {
            if (i + j == 0) continue;
            const std::size_t sum = std::min(i + j, both.size());
            add({i == 0 ? never : -left[i - 1], j == 0 ? never : -right[j - 1], both[sum - 1]});
        }
    return both;
}

void Solver::not_after(std::span<const std::pair<Literal, Literal>> pairs) {
    // As long as all pairs before are alike, a left one that does not hold has a right one that does not.
    Literal alike = always;
    for (const auto& [left, right] : pairs) {
        if (left == right) continue;
        add({-alike, left, -right});
        const Literal still = variable();
        add({-alike, left, still});
        add({-alike, -right, still});
        alike = still;
    }
}

void Solver::assume(Literal literal) {
    if (literal != always) engine_->assume(literal);
}

Answer Solver::solve(const Stop& stop) {
    const Answer answer = engine_->solve(stop);
    if (answer == Answer::no && proof_ != nullptr) proof_->keep(variables_);
    return answer;
}
std::uint64_t Solver::conflicts() const { return engine_->conflicts(); }
bool Solver::holds(Literal literal) const { return literal == always || (literal != never && engine_->holds(literal)); }

}  // namespace kport::search
