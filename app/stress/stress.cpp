#include "app/stress/stress.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/stress/drawing.hpp"
#include "app/stress/random_traffic.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/ranks/letter.hpp"
#include "emulator/topology/family.hpp"

namespace kport {

namespace {

using Clock = std::chrono::steady_clock;

/// Failed draws before it is reported that no machine suits.
constexpr int draws_max = 20'000;
constexpr int draws_of_row_max = 2000;
/// Cases tried to make a failure smaller.
constexpr std::uint64_t shrinking_tries_max = 20'000;
/// Cases that depend on chance are repeated before they count as passing.
constexpr int attempts = 3;

/// Whether the nodes follow a SegmentRelay.
bool relays(const Algorithm& algorithm, const Case& c) {
    if (!algorithm.operation.folds() || misfit_of(algorithm, c)) return false;
    return plan_of<SegmentRelay>(make_job(algorithm, c.machine, c.collective, c.options)) != nullptr;
}

/// Whether they do so in any case: then on a ring, too.
bool relays_on_a_ring(const Algorithm& algorithm) {
    if (algorithm.is_own) return false;
    Case c;
    c.machine.topology = make_topology("ring:3");
    c.collective = Collective::of(algorithm.operation, 0, 8);
    if (relays(algorithm, c)) return true;
    c.collective.packets_each = c.topology().nodes();
    return relays(algorithm, c);
}

/// Whether some node wants what it does not own.
bool moves_something(const Case& c) {
    const NodeId nodes = c.topology().nodes();
    for (NodeId v = 0; v < nodes; ++v)
        if (!c.collective.owned(v, nodes).covers(c.collective.wanted(v, nodes).blocks())) return true;
    return false;
}

class Stress {
  public:
    Stress(const std::vector<Subject>& subjects, const std::vector<Operation>& operations, const StressOptions& options)
        : subjects_(subjects), operations_(operations), options_(options), trials_(options.trials),
          dice_(mixed(options.seed)) {
        std::erase_if(operations_, [&](const Operation& operation) { return !suits(operation); });
        trials_.stop = options.stop;
        if (trials_.injection) return;
        for (const Subject& subject : subjects_)
            if (subject.algorithm != nullptr && suits(subject.algorithm->operation)) rows_.push_back(&subject);
        Dice(options.seed).shuffle(rows_);
        for (const Subject* row : rows_)
            (void)outcome_.coverage.of_rows[fmt::format("{} {}", name(row->algorithm->operation), row->name)];
    }

    StressOutcome run() {
        if (options_.only)
            for (; drawn_ + 1 < *options_.only; ++drawn_) (void)dice_.word();
        while (!over()) {
            const std::uint64_t seed = dice_.word();
            ++drawn_;
            const auto [subject, c] = draw(seed);
            if (auto failure = tried(*subject, c, trials_, seed, outcome_.coverage)) {
                shrink(*subject, c, *std::move(failure), seed);
                break;
            }
            if (options_.progress) options_.progress(outcome_.coverage, 0);
        }
        outcome_.stopped = any(stops());
        outcome_.seconds = seconds();
        return std::move(outcome_);
    }

  private:
    struct Drawn {
        const Subject* subject;
        Case c;
    };

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    [[nodiscard]] bool stops() const {
        return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
    }
    /// Agrees with the other ranks on the end.
    [[nodiscard]] bool over() const {
        return any(stops() || (options_.only && drawn_ >= *options_.only) ||
                   (options_.cases && outcome_.coverage.cases >= *options_.cases) ||
                   (options_.seconds && seconds() >= *options_.seconds));
    }
    [[nodiscard]] bool any(bool own) const { return trials_.ranks != nullptr ? any_says(*trials_.ranks, own) : own; }

    /// Faults are injected into algorithms of the catalogue only.
    [[nodiscard]] bool takes(const Subject& subject, const Operation& operation) const {
        return subject.algorithm == nullptr ? !trials_.injection : subject.algorithm->operation == operation;
    }

    /// Whether the machine, if there is one for all cases, has the operation.
    [[nodiscard]] bool suits(const Operation& operation) const {
        return options_.on == nullptr || has_operation(*options_.on, operation);
    }

    /// Returns the turn of a row of the catalogue, by the number of the case, so that a case can be repeated
    /// individually: first each row has two turns, then every second case is one. Few random cases run without
    /// coroutines, for some rows none.
    [[nodiscard]] std::optional<std::uint64_t> turn() const {
        const std::uint64_t first = 2 * rows_.size();
        const std::uint64_t before = drawn_ - 1;
        if (before < first) return before;
        return first == 0 || (before - first) % 2 == 0 ? std::nullopt : std::optional(first + (before - first) / 2);
    }

    Drawn draw(std::uint64_t seed) {
        Dice dice(seed);
        if (const auto now = turn())
            if (auto c = draw_row(dice, *rows_[*now % rows_.size()], *now / rows_.size()))
                return {rows_[*now % rows_.size()], *std::move(c)};
        return draw_any(dice);
    }

    /// Draws a case of a row in its n-th turn: the first with one packet of each, the second with many, later at
    /// random, every fourth one not simplified. Returns nothing if no machine drawn suits it.
    std::optional<Case> draw_row(Dice& dice, const Subject& row, std::uint64_t turn) {
        constexpr int suited_max = 100;  // draws for a relay
        constexpr std::uint64_t many = 40;
        constexpr std::uint64_t small_packet = 64;
        const Algorithm& algorithm = *row.algorithm;
        const bool may_relay = relays_on_a_ring(algorithm);
        std::optional<Case> drawn;
        for (int n = 0, suited = 0; n < draws_of_row_max && suited < suited_max; ++n) {
            Case c = draw_case(dice, algorithm.operation, options_.nodes_max, options_.on, options_.reductions);
            if (algorithm.is_own) ask_for_defaults(c);
            if (has_word(algorithm.takes, "groups")) draw_groups(dice, c);
            if (turn < 2 && !moves_something(c)) continue;
            // Through switches nothing runs without coroutines.
            if (turn < 2 && c.topology().fabric() != nullptr && options_.on == nullptr) continue;
            if (row.misfit(c)) {  // some need a packet for each node
                if (c.collective.signals() || algorithm.is_own) continue;
                c.collective.packets_each = c.topology().nodes();
                c.collective.packet_bytes = std::min(c.collective.packet_bytes, small_packet);
                if (row.misfit(c)) continue;
            }
            if (!algorithm.is_own) draw_options(dice, algorithm, c);
            const std::uint64_t packets = turn == 0 || algorithm.is_own ? 1
                                          : algorithm.operation.folds() ? c.topology().nodes()
                                                                        : many;
            if (turn % 4 != 3)
                draw_plain(dice, algorithm, c, turn < 2 || algorithm.is_own ? std::optional(packets) : std::nullopt);
            ++suited;
            drawn = std::move(c);
            if (!may_relay || (relays(algorithm, *drawn) && drawn->options.reduction.commutative())) break;
        }
        return drawn;
    }

    Drawn draw_any(Dice& dice) {
        for (int n = 0; n < draws_max && !operations_.empty(); ++n) {
            const Operation& operation = dice.one_of(std::span<const Operation>(operations_));
            Case c = draw_case(dice, operation, options_.nodes_max, options_.on, options_.reductions);
            if (options_.commutative && !c.options.reduction.commutative()) continue;
            std::vector<const Subject*> suited;
            for (const Subject& subject : subjects_)
                if (takes(subject, operation) && !subject.misfit(c)) suited.push_back(&subject);
            if (suited.empty()) continue;
            const Subject* subject = dice.one_of(std::span<const Subject* const>(suited));
            if (subject->algorithm != nullptr && subject->algorithm->is_own)
                ask_for_defaults(c);
            else if (subject->algorithm != nullptr)
                draw_options(dice, *subject->algorithm, c);
            return {subject, c};
        }
        if (options_.on != nullptr)
            throw RequestError(fmt::format("none of {} random machines on {} suits", draws_max, options_.on->spec()));
        throw RequestError(fmt::format("none of {} random machines of at most {} suits; a larger one may", draws_max,
                                       counted(options_.nodes_max, "node")));
    }

    void shrink(const Subject& subject, const Case& c, Failure failure, std::uint64_t seed) {
        std::uint64_t tries = 0;
        const auto fails = [&](const Case& smaller) {
            if (options_.progress) options_.progress(outcome_.coverage, ++tries);
            if (any(stops())) return false;
            for (int n = 0; n < attempts; ++n) {
                Coverage ignored;
                auto again = tried(subject, smaller, trials_, seed, ignored);
                if (!again) continue;
                if (again->flaw != failure.flaw) return false;
                failure = *std::move(again);
                return true;
            }
            return false;
        };
        Shrunk smallest = shrunk(c, subject, fails, shrinking_tries_max);
        outcome_.breakage = Breakage{subject, std::move(smallest.c), std::move(failure), c, options_.seed,
                                     drawn_,  smallest.tries,        smallest.smallest};
    }

    const std::vector<Subject>& subjects_;
    std::vector<const Subject*> rows_;  ///< rows of the catalogue, in the order of their turns
    std::vector<Operation> operations_;
    const StressOptions& options_;
    Trials trials_;
    Dice dice_;
    std::uint64_t drawn_ = 0;  ///< cases so far, including skipped ones
    Clock::time_point start_ = Clock::now();
    StressOutcome outcome_;
};

std::string described(const Case& c) {
    // Some algorithms use a root where the operation has none (--source).
    const bool rooted = c.collective.rooted() || c.collective.root != 0;
    const std::string machine = fmt::format("{}, {}{}", c.topology().spec(), c.machine.describe(),
                                            rooted ? fmt::format(", {} node {}", c.collective.inwards() ? "to" : "from",
                                                                 c.topology().name(c.collective.root))
                                                   : "");
    const Reduction& reduction = c.options.reduction;
    const Counts* const bytes = c.collective.counts == nullptr ? nullptr : c.collective.counts->bytes();
    const std::string several =
        bytes != nullptr                 ? fmt::format("sizes {}, ", text(*bytes))
        : c.collective.counts != nullptr ? fmt::format("counts {}, ", text(*c.collective.counts))
        : c.collective.packets_each == 1 ? ""
                                         : fmt::format("{} of each, ", c.collective.packets_each);
    if (!c.collective.folds()) return fmt::format("{}, {}{}-byte packets", machine, several, c.collective.packet_bytes);
    const std::string folded =
        fmt::format("{}, {}{} of {}", machine, several, name(reduction.op), name(reduction.type));
    const std::string values =
        reduction.values.empty() ? "" : fmt::format(" \"{}\"", fmt::join(reduction.values, "\", \""));
    return reduction.type == ElementType::text
               ? folded + values
               : fmt::format("{}, {}{}", folded, counted(c.collective.packet_bytes, "byte"), values);
}

}  // namespace

std::string Breakage::machine() const { return described(c); }

std::string Breakage::text() const {
    std::string all = fmt::format("{} {} {}\n  on {}\n", name(c.collective.operation), subject.name,
                                  kport::text(failure.flaw), machine());
    for (const std::string& line : failure.story) all += fmt::format("  {}\n", line);
    if (failure.round != 0)
        all += failure.round == 1 ? "  the first round of the run shows it\n"
                                  : fmt::format("  the first {} rounds of the run show it\n", failure.round);
    all += fmt::format("  seen first in case {} of seed {}, on {}; {} tried{}\n", number, seed, described(found_on),
                       counted(tries, "smaller case"), smallest ? ", and no smaller machine fails like this" : "");
    return all;
}

StressOutcome stress(const std::vector<Subject>& subjects, const Operation& operation, const StressOptions& options) {
    return Stress(subjects, {operation}, options).run();
}

StressOutcome stress(const Operation& operation, ProgramFor program, const StressOptions& options, MisfitFor misfit) {
    if (options.trials.injection)
        throw RequestError("faults are put into algorithms of the catalogue, not into programs");
    const std::vector<Subject> one = {subject_of("program", std::move(program), std::move(misfit))};
    return stress(one, operation, options);
}

StressOutcome stress_catalogue(const StressOptions& options) {
    std::vector<Subject> subjects;
    std::vector<Operation> all;
    const bool faults = options.trials.injection.has_value();
    const bool only_reductions = options.trials.injection && info(options.trials.injection->fault).folds();
    for (const Algorithm& algorithm : catalogue()) {
        if (only_reductions && !algorithm.operation.folds()) continue;
        if (faults && algorithm.operation.signals()) continue;  // NODUP and NOHO do not apply
        subjects.push_back(subject_of(algorithm));
        if (std::ranges::find(all, algorithm.operation) == all.end()) all.push_back(algorithm.operation);
    }
    for (Subject& random : random_subjects())
        if (!faults) subjects.push_back(std::move(random));
    return Stress(subjects, all, options).run();
}

}  // namespace kport
