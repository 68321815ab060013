/// @file flaws.hpp   Flaws of a subject or of kport, and those that a verdict shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/stress/subject.hpp"
#include "emulator/audit/verdict.hpp"

namespace KPORT_PUBLIC kport {

enum class Flaw : std::uint8_t {
    breaks_rule,          ///< reported by the auditor
    waits_for_ever,       ///< nodes wait for messages that never come
    not_delivered,        ///< it ends, and a node lacks a promised packet
    not_optimal,          ///< it takes more rounds than the lower bound (on request)
    throws,               ///< a node program, or kport, fails by an exception
    below_bound,          ///< it costs less than a lower bound: a count or a bound is wrong
    not_as_derived,       ///< its cost differs from the catalogue's derivation
    report_differs,       ///< another engine, order, partition of nodes or number of threads gives another report
    judges_disagree,      ///< auditor, umpire, replay and mover disagree about what moved
    fault_slips_through,  ///< an injected fault is not found, or is misreported
};
/// Returns "breaks a rule", "gives another report": as in "smallest machine on which it ...".
[[nodiscard]] std::string_view text(Flaw flaw);

/// A flaw and its description.
struct Flawed {
    Flaw flaw = Flaw::breaks_rule;
    std::vector<std::string> story;  ///< a headline, then lines
    Round round = 0;                 ///< the first round in which it shows; 0: at the end
};

/// What is required of a verdict.
struct Expectations {
    bool optimal = false;  ///< the bound on rounds must be met
    bool lawful = false;   ///< breaking a rule by design (Subject::breaks) is a flaw, too
};

/// Returns the worst flaw in the verdict of a run: a rule broken, nodes that wait, something not delivered; else costs
/// that differ from the derived ones, or are below a bound. Nothing if all is right.
[[nodiscard]] std::optional<Flawed> flaw_of(const Verdict& verdict, const Subject& subject, const Case& c,
                                            const Expectations& expectations);

}  // namespace kport
