#include "stress/flaws.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/choice.hpp"
#include "emulator/base/error.hpp"

namespace kport {

std::string_view text(Flaw flaw) {
    switch (flaw) {
        case Flaw::breaks_rule: return "breaks a rule";
        case Flaw::waits_for_ever: return "waits for ever";
        case Flaw::not_delivered: return "does not deliver";
        case Flaw::not_optimal: return "is not optimal";
        case Flaw::throws: return "fails by an exception";
        case Flaw::below_bound: return "costs less than the bound";
        case Flaw::not_as_derived: return "costs something else than was derived";
        case Flaw::report_differs: return "gives another report";
        case Flaw::judges_disagree: return "has a verdict on which auditor and umpire disagree";
        case Flaw::fault_slips_through: return "lets a fault slip through";
    }
    invariant(false, "a flaw without a text");
    return {};
}

namespace {

class Search {
  public:
    Search(const Verdict& verdict, const Subject& subject, const Case& c, const Expectations& expectations)
        : verdict_(verdict), subject_(subject), case_(c), expectations_(expectations) {}

    [[nodiscard]] std::optional<Flawed> run() const {
        if (auto flawed = judged()) return flawed;
        return cost();
    }

  private:
    static Flawed found(Flaw flaw, std::vector<std::string> story, Round round = 0) {
        return {flaw, std::move(story), round};
    }

    // ------------------------------------------------------------------------------------------ what the auditor says

    [[nodiscard]] std::optional<Flawed> judged() const {
        // A broken rule comes before who waits, and who waits before who lacks something for that reason.
        const Violation* worst = nullptr;
        for (const Violation& v : verdict_.violations)
            if (!forgiven(v) && (worst == nullptr || kind(v) < kind(*worst))) worst = &v;
        if (worst != nullptr) {
            const Flaw flaw = kind(*worst);
            return found(flaw, story(*worst, case_.topology()), flaw == Flaw::breaks_rule ? worst->round : 0);
        }
        if (!verdict_.delivered && verdict_.violation_count == 0)
            return found(Flaw::not_delivered, {"no violation explains it: a fault of kport"});
        return std::nullopt;
    }

    [[nodiscard]] bool forgiven(const Violation& v) const {
        const bool by_design = subject_.algorithm == nullptr || !expectations_.lawful;
        return by_design && std::ranges::find(subject_.breaks, v.rule()) != subject_.breaks.end();
    }
    [[nodiscard]] static Flaw kind(const Violation& v) {
        switch (v.breach) {
            case Breach::waits_for_ever: return Flaw::waits_for_ever;
            case Breach::never_received:
            case Breach::never_a_result:
            case Breach::result_lacks: return Flaw::not_delivered;
            default: return Flaw::breaks_rule;
        }
    }

    // ----------------------------------------------------------------------------------------------------------- cost

    [[nodiscard]] std::optional<Flawed> cost() const {
        const Metrics& m = verdict_.metrics;
        if (subject_.expect) {
            const ExpectedCost expected = subject_.expect(case_);
            const auto differs = [&](const auto& derived, std::uint64_t measured) {
                return derived && *derived != measured;
            };
            const std::uint64_t bytes = case_.request.packet_bytes;
            const std::uint64_t volume = expected.volume ? *expected.volume * bytes : m.volume;
            const double latency = derived_latency(expected, case_.machine.costs, bytes).value_or(m.latency);
            if (differs(expected.rounds, m.rounds) || differs(expected.work, m.work) ||
                differs(expected.path_sum, m.path_sum) || volume != m.volume ||
                std::abs(latency - m.latency) > 1e-9 * latency)
                return found(Flaw::not_as_derived,
                             {fmt::format("measured: rounds {}, work {}, path sum {}, volume {}, latency {}", m.rounds,
                                          m.work, m.path_sum, m.volume, m.latency),
                              fmt::format("derived: rounds {}, work {}, path sum {}, volume {}, latency {}",
                                          expected.rounds.value_or(m.rounds), expected.work.value_or(m.work),
                                          expected.path_sum.value_or(m.path_sum), volume, latency)});
        }
        const Bounds bounds = lower_bounds(case_.machine, case_.request);
        const auto below = [&](const Bound& bound, double measured) {
            return bound.value() && *bound.value() > measured * (1 + 1e-9) + 1e-9;
        };
        for (const auto& [what, bound, measured] :
             {std::tuple("rounds", &bounds.rounds, static_cast<double>(m.rounds)),
              std::tuple("work", &bounds.work, static_cast<double>(m.work)),
              std::tuple("path sum", &bounds.path_sum, static_cast<double>(m.path_sum)),
              std::tuple("volume", &bounds.volume, static_cast<double>(m.volume)),
              std::tuple("latency", &bounds.latency, m.latency)})
            if (below(*bound, measured))
                return found(Flaw::below_bound, {fmt::format("{} {} below the bound {} ({})", what, measured,
                                                             *bound->value(), bound->binding())});
        if (expectations_.optimal && bounds.rounds.value() && static_cast<double>(m.rounds) > *bounds.rounds.value())
            return found(Flaw::not_optimal, {fmt::format("{} rounds, where {} are the bound: {}", m.rounds,
                                                         *bounds.rounds.value(), bounds.rounds.binding())});
        return std::nullopt;
    }

    const Verdict& verdict_;
    const Subject& subject_;
    const Case& case_;
    const Expectations& expectations_;
};

}  // namespace

std::optional<Flawed> flaw_of(const Verdict& verdict, const Subject& subject, const Case& c,
                              const Expectations& expectations) {
    return Search(verdict, subject, c, expectations).run();
}

}  // namespace kport
