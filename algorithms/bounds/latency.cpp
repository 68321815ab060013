#include "algorithms/bounds/judge.hpp"

#include <utility>

#include <fmt/format.h>

namespace kport::bounds {
namespace {

Argument argument(const Costs& costs, const Terms& terms, std::string why, std::string source) {
    return {terms.text(), terms.value(costs), std::move(why), std::move(source)};
}

Argument all_three(const Facts& facts, const Costs& costs, const Terms& terms) {
    const char* same = facts.store_and_forward
                           ? "A round costs a startup, a hop and the bytes of its largest message"
                           : "A round costs a startup, the hops of its longest path and one packet, for all its "
                             "messages have the same size";
    return argument(costs, terms, fmt::format("{}; the bounds on rounds, path sum and volume add up.", same),
                    "Lemmas 1 and 7");
}

}  // namespace

double Terms::value(const Costs& costs) const {
    return static_cast<double>(startups) * costs.startup + static_cast<double>(hops) * costs.hop +
           static_cast<double>(bytes) * costs.byte;
}

std::string Terms::text() const { return fmt::format("{} ts + {} td + {} tm", startups, hops, bytes); }

std::vector<Argument> latency_arguments(const Facts& facts, const Derivation& found, const Costs& costs) {
    const Count rounds = found.rounds.value();
    const Count hops = found.path_sum.value();
    const Count bytes = found.packets.value() * facts.packet_bytes;
    if (facts.store_and_forward || !found.bundles) return {all_three(facts, costs, {rounds, hops, bytes})};

    std::vector<Argument> both = {
        argument(costs, {rounds, rounds, bytes},
                 "The largest bundle of each round costs a startup, its bytes and at least one hop.",
                 "Lemma 7, without hops that other messages may hide"),
        argument(costs, {rounds, hops, rounds * facts.packet_bytes},
                 "The longest path of each round costs a startup, its hops and at least one packet.",
                 "Lemma 7, without bytes that other messages may hide")};
    if (both[1].value > both[0].value) std::swap(both[0], both[1]);
    return both;
}

}  // namespace kport::bounds
