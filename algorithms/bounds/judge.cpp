#include "algorithms/bounds/judge.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"

namespace kport::bounds {
namespace {

struct BoundJudgement {
    Reachable reachable = Reachable::unknown;
    std::string why;
    std::optional<Count> least = {};  ///< if unreachable: the least cost of any schedule
    std::string met_by = {};
    std::optional<Count> best_known = {};
};

BoundJudgement met_by(const std::string& schedule) { return {Reachable::yes, schedule + " meets it", {}, schedule}; }

std::string not_known(const Knowledge& knowledge, std::string best) {
    if (!best.empty() && !knowledge.open_question.empty()) best += "; ";
    best += knowledge.open_question;
    return best.empty() ? "no schedule that meets it is known here" : best;
}

/// Judges a counted quantity: `field` is its member in a schedule, `told` formats a count.
BoundJudgement judge(const Arguments& arguments, std::optional<Count> KnownSchedule::*field, const Knowledge& knowledge,
                     const std::optional<Refutation>& refutation, const std::function<std::string(Count)>& told) {
    std::optional<Count> least;
    std::string name;
    for (const KnownSchedule& schedule : knowledge.schedules) {
        const std::optional<Count>& count = schedule.*field;
        if (!count || (least && *least <= *count)) continue;
        least = count;
        name = schedule.name;
    }
    if (least && *least <= arguments.value()) return met_by(name);
    if (refutation) return {Reachable::no, refutation->why, refutation->least};
    std::string best = least ? fmt::format("the best known here, {}, takes {}", name, told(*least)) : std::string();
    return {Reachable::unknown, not_known(knowledge, std::move(best)), {}, {}, least};
}

/// Whether a schedule's latency, at most the sum of its startups, hops and bytes, is at most `bound`, up to rounding
/// errors.
bool meets(const Facts& facts, const KnownSchedule& schedule, double bound) {
    const Costs& costs = facts.machine.costs;
    const bool hops_known = schedule.path_sum || costs.hop == 0;
    const bool rounds_known = schedule.rounds || costs.startup == 0;
    const bool bytes_known = schedule.packets || costs.byte * static_cast<double>(facts.packet_bytes) == 0;
    if (!rounds_known || !hops_known || !bytes_known) return false;
    const Terms terms{schedule.rounds.value_or(0), schedule.path_sum.value_or(0),
                      schedule.packets.value_or(0) * facts.packet_bytes};
    return terms.value(costs) <= bound * (1 + 1e-12);
}

/// Any refuted count refutes the latency that is the sum of the bounds, if that count has a price.
std::optional<Refutation> refute_latency(const Facts& facts, const Derivation& found, const Knowledge& knowledge) {
    if (!facts.store_and_forward && found.bundles) return std::nullopt;
    const Costs& costs = facts.machine.costs;
    const bool bytes_cost = costs.byte * static_cast<double>(facts.packet_bytes) > 0;
    if (knowledge.rounds && (costs.startup > 0 || (bytes_cost && !found.bundles))) return knowledge.rounds;
    if (knowledge.path_sum && costs.hop > 0) return knowledge.path_sum;
    if (knowledge.packets && bytes_cost) return knowledge.packets;
    return std::nullopt;
}

/// Returns the latency for the least possible value of every count, where the bounds add up.
double least_latency(const Facts& facts, const Derivation& found, const Knowledge& knowledge) {
    const auto least = [](const Arguments& bound, const std::optional<Refutation>& refutation) {
        return refutation ? std::max(bound.value(), refutation->least) : bound.value();
    };
    const Terms terms{least(found.rounds, knowledge.rounds), least(found.path_sum, knowledge.path_sum),
                      least(found.packets, knowledge.packets) * facts.packet_bytes};
    return terms.value(facts.machine.costs);
}

BoundJudgement judge_latency(const Facts& facts, const Derivation& found, const Knowledge& knowledge, double bound) {
    const Costs& costs = facts.machine.costs;
    const bool bytes_cost = costs.byte * static_cast<double>(facts.packet_bytes) != 0;
    if (costs.startup == 0 && costs.hop == 0 && !bytes_cost)
        return {Reachable::yes, "at these prices no schedule costs anything"};
    for (const KnownSchedule& schedule : knowledge.schedules)
        if (meets(facts, schedule, bound)) return met_by(schedule.name);
    if (const auto refutation = refute_latency(facts, found, knowledge)) return {Reachable::no, refutation->why};
    return {Reachable::unknown, not_known(knowledge, "no single schedule that meets it is known here")};
}

/// The volume is counted in packets; packets without bytes have volume 0.
BoundJudgement judge_volume(const Facts& facts, const Derivation& found, const Knowledge& knowledge) {
    if (facts.packet_bytes == 0) return {Reachable::yes, "packets of 0 bytes have no volume"};
    const auto told = [&](Count n) {
        return fmt::format("{} ({})", counted(n * facts.packet_bytes, "byte", "bytes"),
                           counted(n, "packet", "packets"));
    };
    return judge(found.packets, &KnownSchedule::packets, knowledge, knowledge.packets, told);
}

Bound publish(const Arguments& arguments, Count unit, BoundJudgement judgement) {
    Bound bound{{}, judgement.reachable, std::move(judgement.why), std::move(judgement.met_by)};
    if (judgement.least) bound.least = static_cast<double>(*judgement.least * unit);
    if (judgement.best_known) bound.best_known = static_cast<double>(*judgement.best_known * unit);
    for (const Reason& reason : arguments.reasons())
        bound.arguments.push_back({reason.name, static_cast<double>(reason.value * unit), reason.why, reason.source});
    return bound;
}

}  // namespace

Bounds publish(const Facts& facts, const Derivation& found, const Knowledge& knowledge) {
    const auto rounds = [](Count n) { return counted(n, "round", "rounds"); };
    const auto hops = [](Count n) { return counted(n, "hop", "hops"); };
    Bounds bounds;
    bounds[Quantity::rounds] =
        publish(found.rounds, 1, judge(found.rounds, &KnownSchedule::rounds, knowledge, knowledge.rounds, rounds));
    bounds[Quantity::work] =
        publish(found.work, 1, judge(found.work, &KnownSchedule::work, knowledge, knowledge.work, hops));
    bounds[Quantity::path_sum] = publish(
        found.path_sum, 1, judge(found.path_sum, &KnownSchedule::path_sum, knowledge, knowledge.path_sum, hops));
    bounds[Quantity::volume] = publish(found.packets, facts.packet_bytes, judge_volume(facts, found, knowledge));
    Bound& latency = bounds[Quantity::latency];
    if (facts.machine.prices != nullptr) {
        latency.arguments = priced_latency_arguments(facts, found);
        latency.reachable_why = not_known(knowledge, "");
        return bounds;
    }
    latency.arguments = latency_arguments(facts, found, facts.machine.costs);
    BoundJudgement judgement = judge_latency(facts, found, knowledge, latency.arguments.front().value);
    latency.reachable = judgement.reachable;
    latency.reachable_why = std::move(judgement.why);
    if (latency.reachable == Reachable::no) latency.least = least_latency(facts, found, knowledge);
    return bounds;
}

}  // namespace kport::bounds
