#include "app/stress/flaws.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/choice.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

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

class FlawSearch {
  public:
    FlawSearch(const Verdict& verdict, const Subject& subject, const Case& c, const Expectations& expectations)
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
        // Severity order: rule violations, then waiting nodes, then missing packets.
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
            const auto derived = derived_costs(subject_.expect(case_), case_.machine, case_.collective.packet_bytes);
            std::vector<std::string> measured_texts;
            std::vector<std::string> derived_texts;
            bool differs = false;
            for (const QuantityRow& row : quantity_rows) {
                const double measured = row.of(m);
                const double expected = derived[row.quantity].value_or(measured);
                differs |= std::abs(expected - measured) > (row.count != nullptr ? 0 : 1e-9 * expected);
                measured_texts.push_back(fmt::format("{} {}", row.title, measured));
                derived_texts.push_back(fmt::format("{} {}", row.title, expected));
            }
            if (differs)
                return found(Flaw::not_as_derived, {fmt::format("measured: {}", fmt::join(measured_texts, ", ")),
                                                    fmt::format("derived: {}", fmt::join(derived_texts, ", "))});
        }
        if (!verdict_.delivered) return std::nullopt;  // forgiven above: the bounds are those of what is promised
        const Bounds bounds = lower_bounds(case_.machine, case_.collective);
        const auto below = [&](const Bound& bound, double measured) {
            return bound.largest() && *bound.largest() > measured * (1 + 1e-9) + 1e-9;
        };
        for (const QuantityRow& row : quantity_rows)
            if (const Bound& bound = bounds[row.quantity]; below(bound, row.of(m)))
                return found(Flaw::below_bound, {fmt::format("{} {} below the bound {} ({})", row.title, row.of(m),
                                                             *bound.largest(), bound.binding())});
        const Bound& rounds = bounds[Quantity::rounds];
        if (expectations_.optimal && rounds.largest() && static_cast<double>(m.rounds) > *rounds.largest())
            return found(Flaw::not_optimal, {fmt::format("{}, where the bound is {}: {}", counted(m.rounds, "round"),
                                                         *rounds.largest(), rounds.binding())});
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
    return FlawSearch(verdict, subject, c, expectations).run();
}

}  // namespace kport
