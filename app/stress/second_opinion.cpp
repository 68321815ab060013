#include "app/stress/second_opinion.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/umpire/results.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

using umpire::Number;

/// The part of a violation that both judges report.
struct Occurrence {
    Rule rule;
    Number round;
    Number node;

    auto operator<=>(const Occurrence&) const = default;
};

/// The packets of each.
using Occurrences = std::map<Occurrence, std::set<Number>>;

Rule rule_of(umpire::Rule rule) {
    switch (rule) {
        case umpire::Rule::path:
        case umpire::Rule::end:
        case umpire::Rule::link:
        case umpire::Rule::channel: return Rule::channel;
        case umpire::Rule::partners:
        case umpire::Rule::ports: return Rule::ports;
        case umpire::Rule::combining: return Rule::combining;
        case umpire::Rule::nodup: return Rule::nodup;
        case umpire::Rule::noho: return Rule::noho;
        case umpire::Rule::idle_round: return Rule::rounds;
        case umpire::Rule::relay: return Rule::relay;
        case umpire::Rule::holding:
        case umpire::Rule::parting:
        case umpire::Rule::order:
        case umpire::Rule::delivery: break;
    }
    return Rule::delivery;
}

bool names_packet(Rule rule) { return rule == Rule::nodup || rule == Rule::noho || rule == Rule::delivery; }

class OpinionComparison {
  public:
    OpinionComparison(const umpire::Game& game, const umpire::Opinion& opinion, const Verdict& verdict)
        : game_(game), opinion_(opinion), verdict_(verdict) {
        for (const umpire::Finding& finding : opinion.findings) {
            if (finding.rule == umpire::Rule::path) pathless_.insert(finding.round);
            if (finding.rule == umpire::Rule::link) crossed_.emplace(finding.round, finding.node);
            const Rule rule = rule_of(finding.rule);
            Occurrences& found = verdict.force(rule) == Force::law ? judged_ : lifted_;
            found[{rule, finding.round, finding.node}].insert(finding.packet);
        }
        for (const Violation& violation : verdict.violations) {
            const bool many = violation.breach == Breach::silent_round;
            for (Number i = 0; i < (many ? violation.limit : 1); ++i)
                listed_[{violation.rule(), violation.round + i, violation.node}].insert(number(violation));
        }
    }

    [[nodiscard]] std::string first_difference() const {
        for (const auto& check :
             {&OpinionComparison::too_much, &OpinionComparison::too_little, &OpinionComparison::rules,
              &OpinionComparison::counted, &OpinionComparison::delivery, &OpinionComparison::costs})
            if (std::string text = (this->*check)(); !text.empty()) return text;
        return {};
    }

  private:
    static std::string at(const Occurrence& occurrence) {
        return fmt::format("{} in round {}{}", name(occurrence.rule), occurrence.round,
                           occurrence.node == umpire::none ? "" : fmt::format(" at node {}", occurrence.node));
    }

    [[nodiscard]] std::string too_much() const {
        for (const auto& [occurrence, packets] : listed_) {
            const auto found = judged_.find(occurrence);
            if (found == judged_.end()) {
                if (occurrence.rule == Rule::channel && pathless_.contains(occurrence.round)) continue;
                return fmt::format("the auditor alone finds {}", at(occurrence));
            }
            if (names_packet(occurrence.rule) && !std::ranges::includes(found->second, packets))
                return fmt::format("the auditor names another packet than the umpire for {}", at(occurrence));
        }
        return {};
    }

    /// Whether a half duplex trunk is too full beside other channels of the round, such as a switch beyond its limit.
    [[nodiscard]] bool is_beside_another(const Occurrence& occurrence) const {
        if (game_.capacities.empty() || !crossed_.contains({occurrence.round, occurrence.node})) return false;
        return std::ranges::any_of(listed_, [&](const auto& listed) {
            return listed.first.rule == Rule::channel && listed.first.round == occurrence.round;
        });
    }

    [[nodiscard]] std::string too_little() const {
        if (verdict_.violation_count != verdict_.violations.size()) return {};  // the list is not complete
        for (const auto& [occurrence, packets] : judged_)
            if (!listed_.contains(occurrence) && !is_beside_another(occurrence))
                return fmt::format("the umpire alone finds {}", at(occurrence));
        return {};
    }

    /// Returns the number of a violation's packet in the umpire's numbering.
    [[nodiscard]] Number number(const Violation& violation) const {
        const bool segmented = violation.segment != Violation::no_segment;
        return (segmented ? violation.segment * (game_.hosts() + 1) : 0) + violation.packet;
    }

    /// Whether the umpire saw the rule broken.
    [[nodiscard]] bool broken(Rule rule) const {
        const Occurrences& all = verdict_.force(rule) == Force::law ? judged_ : lifted_;
        return std::ranges::any_of(all, [&](const auto& entry) { return entry.first.rule == rule; });
    }

    /// Whether the auditor saw it kept.
    [[nodiscard]] bool kept(Rule rule) const {
        const auto counted = std::ranges::find(verdict_.counted, rule, &Counted::rule);
        return counted == verdict_.counted.end() ? verdict_.kept(rule) : counted->count == 0;
    }

    [[nodiscard]] std::string rules() const {
        if (verdict_.lawful() != judged_.empty())
            return fmt::format("lawful: {} says the auditor", verdict_.lawful() ? "yes" : "no");
        for (const RuleRow& rule : rule_rows)
            if (verdict_.force(rule.rule) != Force::off && kept(rule.rule) == broken(rule.rule))
                return fmt::format("{}: {} says the auditor", rule.name, kept(rule.rule) ? "kept" : "broken");
        return {};
    }

    /// Compares the first case of each counted rule.
    [[nodiscard]] std::string counted() const {
        for (const Counted& counted : verdict_.counted) {
            if (!counted.first) continue;
            const Occurrence first{counted.rule, counted.first->round, counted.first->node};
            const auto found = lifted_.find(first);
            if (found == lifted_.end() || !found->second.contains(number(*counted.first)))
                return fmt::format("the auditor alone counts {}", at(first));
            const auto is_earlier = [&](const auto& entry) {
                return entry.first.rule == first.rule && entry.first.round < first.round;
            };
            if (const auto earlier = std::ranges::find_if(lifted_, is_earlier); earlier != lifted_.end())
                return fmt::format("the umpire alone counts {}", at(earlier->first));
        }
        return {};
    }

    /// Compares the nodes that hold what they are promised, or the packets if only a root is promised anything.
    [[nodiscard]] std::string delivery() const {
        std::set<Number> nodes;
        std::set<Number> origins;  // of what the root lacks
        const Number numbers = game_.hosts() + (umpire::is_reduction(game_.operation) ? 1 : 0);
        for (const auto& [node, packet] : opinion_.undelivered) {
            nodes.insert(node);
            origins.insert(packet % numbers);
        }
        const Number lacking = verdict_.promised_at_root ? origins.size() : nodes.size();
        if (verdict_.promised == game_.hosts() && verdict_.holders + lacking == verdict_.promised) return {};
        return fmt::format("holders: the auditor counts {} of {}, the umpire misses {}", verdict_.holders,
                           verdict_.promised, lacking);
    }

    [[nodiscard]] std::string costs() const {
        const auto differ = [](const char* what, auto audited, auto judged) {
            return fmt::format("{}: {} says the auditor, {} the umpire", what, audited, judged);
        };
        const Metrics& metrics = verdict_.metrics;
        if (metrics.rounds != opinion_.rounds) return differ("rounds", metrics.rounds, opinion_.rounds);
        if (metrics.work != opinion_.work) return differ("work", metrics.work, opinion_.work);
        if (metrics.path_sum != opinion_.path_sum) return differ("path sum", metrics.path_sum, opinion_.path_sum);
        if (metrics.volume != opinion_.volume) return differ("volume", metrics.volume, opinion_.volume);
        if (std::abs(metrics.latency - opinion_.latency) > 1e-9 * opinion_.latency)
            return differ("latency", metrics.latency, opinion_.latency);
        return {};
    }

    const umpire::Game& game_;
    const umpire::Opinion& opinion_;
    const Verdict& verdict_;
    std::set<Number> pathless_;                    ///< rounds in which some route is no path
    std::set<std::pair<Number, Number>> crossed_;  ///< round and lower end of half duplex links that are too full
    Occurrences judged_;                           ///< the umpire's
    Occurrences lifted_;                           ///< the umpire's, of rules that are not enforced (Collective::rules)
    Occurrences listed_;                           ///< the auditor's
};

/// Empty for an operator of one's own, and for those that fold a value and its place.
std::optional<umpire::Operator> umpires(const Operator& op) {
    static const std::vector<std::pair<Operator, umpire::Operator>> listed = {
        {Operator::sum, umpire::Operator::sum},
        {Operator::min, umpire::Operator::minimum},
        {Operator::max, umpire::Operator::maximum},
        {Operator::exclusive_or, umpire::Operator::exclusive_or},
        {Operator::concat, umpire::Operator::concatenation},
        {Operator::prod, umpire::Operator::product},
        {Operator::band, umpire::Operator::bits_and},
        {Operator::bor, umpire::Operator::bits_or},
        {Operator::land, umpire::Operator::logical_and},
        {Operator::lor, umpire::Operator::logical_or},
        {Operator::lxor, umpire::Operator::logical_exclusive_or}};
    const auto at = std::ranges::find(listed, op, &std::pair<Operator, umpire::Operator>::first);
    return at == listed.end() ? std::nullopt : std::optional(at->second);
}

/// The umpire has its own list. For user-defined operations, initial and final placement are passed explicitly.
umpire::Operation umpires(const Operation& operation) {
    static const std::vector<Operation> listed = {Operation::broadcast,      Operation::scatter,   Operation::gather,
                                                  Operation::reduce,         Operation::allreduce, Operation::scan,
                                                  Operation::exscan,         Operation::allgather, Operation::alltoall,
                                                  Operation::reduce_scatter, Operation::barrier};
    const auto at = std::ranges::find(listed, operation);
    if (at != listed.end()) return static_cast<umpire::Operation>(at - listed.begin());
    if (operation.folds() && !operation.is_own())
        throw RequestError(
            fmt::format("the umpire does not know how {} folds; want an operation of the list", name(operation)));
    return operation.folds() ? umpire::Operation::own_folds : umpire::Operation::own;
}

/// `columns`: N; for reductions N + 1, with the results after the contributions.
std::vector<Number> numbers_of(std::span<const PacketBlock> blocks, NodeId columns) {
    std::vector<Number> numbers;
    for (const PacketBlock& block : blocks)
        for (std::uint32_t row = 0; row < block.rows; ++row)
            for (std::uint32_t i = 0; i < block.count; ++i)
                numbers.push_back(Number{block.all_rows()[row]} * columns + block.columns()[i]);
    return numbers;
}

std::set<Number> numbers_of(const PacketSet& packets, NodeId nodes) {
    const std::vector<Number> numbers = numbers_of(packets.blocks(), nodes);
    return {numbers.begin(), numbers.end()};
}

}  // namespace

umpire::Game game_of(const Schedule& schedule, const Machine& machine, const Collective& asked) {
    const Collective collective = fitted(asked, *machine.topology);
    require_readable(schedule, machine, collective);
    const Topology& topology = *machine.topology;
    const Topology& wires = topology.wires();
    umpire::Game game;
    game.switches = wires.nodes() - topology.nodes();
    if (machine.switch_limit != no_port) game.switch_limit = machine.switch_limit;
    const auto by_port = [&](NodeId v, const auto& of_port) {
        std::vector<decltype(of_port(Port{0}))> values;
        for (Port p = 0; p < wires.labels(v); ++p) values.push_back(of_port(p));
        return values;
    };
    for (NodeId v = 0; v < wires.nodes(); ++v) {
        game.neighbours.push_back(by_port(v, [&](Port p) { return Number{wires.across(v, p).node}; }));
        if (topology.fabric() != nullptr)
            game.capacities.push_back(by_port(v, [&](Port p) { return Number{topology.fabric()->capacity(v, p)}; }));
        if (machine.prices == nullptr) continue;
        game.prices.push_back(by_port(v, [&](Port p) {
            const LinkPrice link = machine.prices->of(v, p);
            return std::pair(link.hop, link.byte);
        }));
    }
    const auto limit = [](Port ports) { return ports == no_port ? umpire::none : umpire::Number{ports}; };
    game.sends = limit(machine.ports.sends());
    game.receives = limit(machine.ports.receives());
    if (machine.node_ports != nullptr)
        for (NodeId v = 0; v < topology.nodes(); ++v)
            game.limits.emplace_back(limit(machine.limits_of(v).sends()), limit(machine.limits_of(v).receives()));
    game.half_duplex = machine.duplex == Duplex::half;
    game.half_duplex_links = machine.links == Duplex::half;
    game.pairwise = machine.pairwise;
    game.strict_noho = machine.noho == Noho::strict;
    game.wormhole = machine.switching == Switching::wormhole;
    game.combining = machine.combining;
    game.operation = umpires(collective.operation);
    if (game.operation == umpire::Operation::own || game.operation == umpire::Operation::own_folds)
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            const NodeId columns = topology.nodes() + (collective.folds() ? 1 : 0);
            game.owned.push_back(numbers_of(collective.owned(v, topology.nodes()), columns));
            game.wanted.push_back(numbers_of(collective.wanted(v, topology.nodes()), columns));
        }
    if (const OwnFolds* const folds = collective.own_folds()) {
        game.in_order.resize(topology.nodes());
        for (const TakenFold& fold : folds->all())
            if (fold.in_order) game.in_order[fold.node].insert(fold.segment);
    }
    if (const OwnCollective* const own = collective.own(); own != nullptr && own->passes_on != nullptr)
        for (NodeId v = 0; v < topology.nodes(); ++v) game.passes_on.push_back(own->passes_on(v));
    game.packets_each = collective.packets_each;
    if (collective.counts != nullptr)
        game.counts.assign(collective.counts->numbers().begin(), collective.counts->numbers().end());
    if (collective.has_sizes()) {
        const std::vector<std::uint32_t>& bytes = collective.counts->bytes()->numbers();
        game.sizes.assign(bytes.begin(), bytes.end());
    }
    game.source = collective.root;
    game.packet_bytes = collective.packet_bytes;
    game.in_runs = collective.in_runs;
    game.unfolded = collective.unfolded;
    game.startup = machine.costs.startup;
    game.hop = machine.costs.hop;
    game.byte = machine.costs.byte;
    for (const Silence& silence : schedule.silences())
        for (std::uint64_t i = 0; i < silence.count; ++i) game.silent.insert(silence.first + i);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        umpire::Message& message = game.messages.emplace_back();
        message.round = schedule.round(i);
        message.from = transfer.from;
        message.to = transfer.to;
        message.route.assign(transfer.route.begin(), transfer.route.end());
        message.packets = numbers_of(transfer.packets, topology.nodes() + (collective.folds() ? 1 : 0));
    }
    return game;
}

std::string disagreement(const umpire::Game& game, const umpire::Opinion& opinion, const Verdict& verdict) {
    return OpinionComparison(game, opinion, verdict).first_difference();
}

std::string opinion_on_results(const Collective& collective, const Reduction& reduction,
                               const std::vector<std::string>& contributions, const std::vector<std::string>& results) {
    const bool is_known =
        reduction.type == ElementType::int64 || reduction.type == ElementType::real || reduction.type.is_text();
    const std::optional<umpire::Operator> op = umpires(reduction.op);
    if (!op || !is_known) return {};  // unknown to the umpire
    umpire::Reduction told;
    told.operation = umpires(collective.operation);
    told.source = collective.root;
    told.op = *op;
    told.real = reduction.type == ElementType::real;
    told.contributions = contributions;
    const bool rooted = collective.inwards();
    const NodeId first = rooted ? collective.root : collective.gives_result(0) ? 0 : 1;
    for (std::size_t i = 0; i < results.size(); ++i) told.results[first + i] = results[i];
    for (const Number v : umpire::wrong_results(told)) {
        if (!rooted && v >= shown_results_max) break;  // results of later nodes are not reported
        const auto given = told.results.find(v);
        return fmt::format("node {} gives {}, and its result is {}", v,
                           given == told.results.end() ? "no result" : "'" + given->second + "'",
                           umpire::right_result(told, v));
    }
    return {};
}

std::string second_opinion(const Schedule& schedule, const Machine& machine, const Collective& collective,
                           const Verdict& verdict, const std::function<bool()>& stops) {
    const umpire::Game game = game_of(schedule, machine, collective);
    const umpire::Opinion opinion = umpire::judge(game, stops);
    return stops && stops() ? "" : disagreement(game, opinion, verdict);
}

}  // namespace kport
