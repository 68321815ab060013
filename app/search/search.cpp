#include "app/search/search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "algorithms/planning/gossip.hpp"
#include "algorithms/planning/heuristics.hpp"
#include "app/search/formula.hpp"
#include "app/search/problem.hpp"
#include "app/search/question.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::search {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Search {
  public:
    Search(const Problem& problem, const SearchOptions& options)
        : problem_(problem), options_(options), graph_(*problem.topology), ports_(problem.widest()),
          sources_(problem.sources.begin(), problem.sources.end()) {}

    [[nodiscard]] Found run() {
        found_.bounds = lower_bounds_of(problem_, graph_);
        found_.bound = found_.least = bound_of(found_.bounds);
        problem_.gossip() ? plan_gossips() : plan_broadcasts();
        if (graph_.is_tree() && !problem_.gossip() && sources_.size() == 1 && found_.least < found_.most) {
            found_.least = found_.most;
            found_.refuted_by = "the best order along a tree";
        }
        while (!found_.exact() && !options_.only_heuristics && attempt(found_.least)) {
        }
        if (!options_.only_heuristics) look_above_least(found_, [&](Round rounds) { return attempt(rounds); });
        if (found_.exact()) found_.proof = found_.most == found_.bound ? Proof::bound_met : Proof::refuted;
        found_.schedule = schedule_of(problem_, std::move(calls_));
        found_.verdict = audit(found_.schedule, machine_of(problem_), collective_of(problem_), false);
        invariant(found_.verdict.lawful() && found_.schedule.rounds() == found_.most,
                  "a schedule that a search finds keeps the rules");
        found_.seconds = seconds_since(start_);
        return std::move(found_);
    }

  private:
    [[nodiscard]] bool stopped() {
        if (options_.progress) options_.progress(at_work_);
        return (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) ||
               (options_.seconds && seconds_since(start_) > *options_.seconds);
    }

    void propose(Calls calls, std::string_view by) {
        if (calls.empty() && found_.bound > 0) return;  // stopped
        const Round rounds = rounds_of(calls);
        if (!found_.found_by.empty() && rounds >= found_.most) return;
        found_.most = rounds;
        found_.found_by = by;
        calls_ = std::move(calls);
    }
    [[nodiscard]] bool bound_is_met() const { return !found_.found_by.empty() && found_.exact(); }

    void plan_broadcasts() {
        propose(farthest_first(graph_, sources_, ports_), "farthest-first");
        if (bound_is_met() || (graph_.is_tree() && sources_.size() == 1)) return;
        propose(best_tree(graph_, sources_, ports_), "best tree");
        // On a long graph planning every round again costs much and gains little.
        constexpr std::uint64_t steps_max = std::uint64_t{1} << 31;
        if (bound_is_met() || found_.most * (graph_.channels() + graph_.nodes()) > steps_max) return;
        at_work_ = "layered plans its rounds";
        propose(layered(graph_, sources_, ports_, [this] { return stopped(); }), "layered");
    }

    void plan_gossips() {
        const Calls broadcast = best_tree(graph_, {&centre(), 1}, ports_);
        propose(there_and_back(broadcast, problem_.mode), "gather, then broadcast");
        constexpr std::uint64_t bits_max = std::uint64_t{1} << 32;
        if (bound_is_met() || std::uint64_t{graph_.nodes()} * graph_.channels() > bits_max) return;
        at_work_ = "greedy calls";
        const planning::Tries tries = planning::tries_for(planning::size_of_packets(*problem_.topology), found_.least);
        propose(planning::greedy_gossip(graph_, calling_in(problem_.mode, ports_), tries, [this] { return stopped(); }),
                "greedy calls");
    }

    /// Returns a node from which a broadcast takes few rounds.
    [[nodiscard]] const Node32& centre() {
        constexpr Node32 tried_max = 256;
        Round fewest = 0;
        for (Node32 v = 0; v < std::min(graph_.nodes(), tried_max); ++v) {
            const Round rounds = rounds_of(best_tree(graph_, {&v, 1}, ports_));
            if (v != 0 && rounds >= fewest) continue;
            fewest = rounds;
            centre_ = v;
        }
        return centre_;
    }

    /// Whether there is a schedule of so many rounds. False if that was not found out.
    bool attempt(Round rounds) {
        const Clock::time_point start = Clock::now();
        const bool solver = options_.solver && !solver_name().empty();
        if (stopped() || (!solver && (problem_.gossip() || graph_.nodes() > exhaustive_nodes_max))) return false;
        found_.attempts.push_back({rounds});
        Attempt& now = found_.attempts.back();
        at_work_ = fmt::format("between {} and {}; is there a schedule of {}?", found_.least, found_.most,
                               counted(rounds, "round"));
        Calls calls;
        const Stop stop = [this] { return stopped(); };
        if (solver)
            ask_solver(now, calls, stop);
        else
            now.answer = search_exhaustively(graph_, sources_, ports_, rounds, stop, calls);
        now.seconds = seconds_since(start);
        if (now.answer == Answer::yes) propose(std::move(calls), "search");
        if (now.answer == Answer::no) found_.least = rounds + 1;
        if (now.answer == Answer::no) found_.refuted_by = "search";
        return now.answer != Answer::stopped;
    }

    void ask_solver(Attempt& now, Calls& calls, const Stop& stop) try {
        require_fit(now.rounds);
        std::optional<ProofFile> proof;
        if (!options_.proof.empty()) proof.emplace(options_.proof);
        Solver solver(proof ? &*proof : nullptr, stop);
        if (problem_.gossip()) {
            if (!automorphisms_) automorphisms_ = Symmetry(graph_).automorphisms();
            const GossipFormula formula(solver, graph_, problem_.mode, ports_, now.rounds, *automorphisms_);
            ask(solver, formula, now, calls);
        } else {
            if (!symmetry_) symmetry_ = symmetry();
            const BroadcastFormula formula(solver, graph_, sources_, ports_, now.rounds, *symmetry_);
            ask(solver, formula, now, calls);
        }
    } catch (const FormulaStopped&) {
        now.answer = Answer::stopped;
    }
    template <class Formula>
    void ask(Solver& solver, const Formula& formula, Attempt& now, Calls& calls) {
        now.answer = solver.solve([&] {
            now.conflicts = solver.conflicts();
            return stopped() || (options_.conflicts && now.conflicts > *options_.conflicts);
        });
        now.variables = solver.variables();
        now.clauses = solver.clauses();
        now.conflicts = solver.conflicts();
        if (now.answer == Answer::yes) calls = formula.calls();
        if (now.answer == Answer::no && !options_.proof.empty()) found_.proved = now.rounds;
    }
    [[nodiscard]] std::vector<FirstSends> symmetry() const {
        if (sources_.size() != 1 || ports_ != 1) return {};
        return first_sends(graph_, sources_.front());
    }
    void require_fit(Round rounds) const {
        const double need = problem_.gossip() ? bytes_of_gossip(graph_, rounds) : bytes_of_broadcast(graph_, rounds);
        const auto there = static_cast<double>(memory_available());
        constexpr double gib = 1024.0 * 1024 * 1024;
        if (need > there)
            throw DoesNotFit(
                fmt::format("{} takes between {} and {} rounds on {}; the formula for {} needs about {:.1f} "
                            "GiB and {:.1f} GiB are available",
                            kport::name(problem_.operation), found_.least, found_.most, problem_.topology->spec(),
                            rounds, need / gib, there / gib));
    }

    const Problem& problem_;
    const SearchOptions& options_;
    Clock::time_point start_ = Clock::now();
    Graph graph_;
    Port ports_;
    std::vector<Node32> sources_;
    std::optional<std::vector<FirstSends>> symmetry_;
    std::optional<std::vector<Automorphism>> automorphisms_;
    Node32 centre_ = 0;
    Found found_;
    Calls calls_;  ///< best so far
    std::string at_work_ = "lower bounds";
};

}  // namespace

Found fewest_rounds(const Problem& problem, const SearchOptions& options) {
    require_valid(problem);
    return Search(problem, options).run();
}

}  // namespace kport::search
