#include "app/stress/second_opinion.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/node/timetable.hpp"

namespace kport {

namespace {

std::string differs(const Verdict& verdict, const Verdict& audited, const Case& c, std::string_view who) {
    if (verdict == audited) return "";
    std::string text = fmt::format("{} of the recorded schedule gives another verdict", who);
    if (!verdict.violations.empty()) text += ": " + sentence(verdict.violations.front(), c.topology());
    return text;
}

using Ran = std::function<void(const Executions&)>;

void count(const RunResult& result, const Case& c, const Ran& ran) {
    if (result.verdict.compared_bytes != 0 || c.collective.signals()) ran(result.executions);
}

std::string replayed(const Schedule& schedule, const Case& c, const Verdict& audited, const Ran& ran,
                     const std::atomic<bool>* stop) {
    ReplayOptions options;
    options.seed = c.seed;
    options.per_round = true;
    options.stop = stop;
    const RunResult result = replay(schedule, c.machine, c.collective, options);
    count(result, c, ran);
    return differs(result.verdict, audited, c, "the replay");
}

/// A schedule reversed twice is the schedule, silent rounds included.
std::string turned(const Schedule& schedule, const Case& c) {
    const Schedule back = reversed(schedule, c.topology());  // without silence before the first transfer
    const Schedule forth = reversed(back, c.topology());
    return reversed(forth, c.topology()) == back ? ""
                                                 : "the recorded schedule, reversed in time again and again, changes";
}

/// A broadcast, reversed and followed by itself, is an allreduce.
std::string reduced_and_told(const Schedule& schedule, const Case& c) {
    const bool turns = c.machine.has_one_limit();  // reversed it needs the limits exchanged
    if (c.collective.operation != Operation::broadcast || !c.collective.one_packet() || !turns) return "";
    const Collective allreduce = Collective::of(Operation::allreduce, c.collective.root, sizeof(std::uint64_t));
    const Schedule up = with_contributions(reversed(schedule, c.topology()), allreduce, c.topology());
    const Verdict verdict = audit(followed_by_result(up, schedule, c.topology()), c.machine, allreduce, false);
    if (verdict.lawful()) return "";
    return "the allreduce that the recorded schedule gives: " + sentence(verdict.violations.front(), c.topology());
}

/// Follows the schedule by programs; `results`: what they return.
std::string followed(const Schedule& schedule, const Case& c, const Verdict& audited, const Ran& ran,
                     const RunOptions& options, std::vector<std::string>& results) {
    Job job = job_following(schedule, c.machine, c.collective);
    job.reduction = c.options.reduction;
    job.seed = c.seed;
    Schedule again;
    RunOptions recording = options;
    recording.recorded_schedule = &again;
    const RunResult result = run(job, recording);
    count(result, c, ran);
    results = result.results;
    const std::string who = fmt::format("a run of programs that follow it ({})", name(result.engine));
    if (std::string text = differs(result.verdict, audited, c, who); !text.empty()) return text;
    if (again.size() != schedule.size()) return fmt::format("{} records another schedule", who);
    return "";
}

/// The transfers of a broadcast as a timetable of each node. Some messages are received later than they come.
class Lines : public Timetable {
  public:
    /// Returns nothing if a message carries several packets, or a node sends or receives several messages in a round.
    static std::shared_ptr<const Lines> of(const Schedule& schedule, NodeId nodes, Dice& dice) {
        const auto lines = std::make_shared<Lines>();
        lines->nodes_.resize(nodes);
        for (std::size_t i = 0; i < schedule.size(); ++i)
            if (!lines->add(schedule.round(i), schedule.transfer(i), nodes)) return nullptr;
        for (Node& node : lines->nodes_) receive_later(node, dice);
        return lines;
    }

    [[nodiscard]] Round first(NodeId v) const override { return nodes_[v].empty() ? 1 : nodes_[v].begin()->first; }
    [[nodiscard]] Round last(NodeId v) const override { return nodes_[v].empty() ? 0 : nodes_[v].rbegin()->first; }
    [[nodiscard]] Round next(NodeId v, Round round) const override {
        const auto found = nodes_[v].lower_bound(round);
        return found == nodes_[v].end() ? round : found->first;
    }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        const auto found = nodes_[v].find(round);
        return found == nodes_[v].end() ? TimetableLine{} : found->second;
    }

  private:
    using Node = std::map<Round, TimetableLine>;

    bool add(Round round, const Transfer& transfer, NodeId nodes) {
        TimetableLine& sends = nodes_[transfer.from][round];
        TimetableLine& receives = nodes_[transfer.to][round];
        if (sends.to != no_node || receives.from != no_node || size_of(transfer.packets) != 1) return false;
        sends.to = transfer.to;
        sends.packet = transfer.packets.front().lowest(nodes);
        receives.from = transfer.from;
        return true;
    }
    /// A node begins with its first message, or sends first.
    static void receive_later(Node& node, Dice& dice) {
        constexpr Round delay_max = 3;
        std::vector<Round> rounds;
        for (const auto& [round, line] : node)
            if (line.from != no_node && round != node.begin()->first) rounds.push_back(round);
        for (const Round round : rounds | std::views::reverse) {
            if (!dice.happens(0.3)) continue;
            TimetableLine& later = node[round + static_cast<Round>(dice.between(1, delay_max))];
            if (later.from == no_node) std::swap(later.from, node[round].from);
        }
    }

    std::vector<Node> nodes_;
};

/// Runs the schedule as a timetable.
std::string timed(const Schedule& schedule, const Case& c, const Verdict& audited, const Ran& ran,
                  const RunOptions& options, Dice& dice) {
    // A timetable names no routes, and those of the machine may meet where the schedule's do not.
    if (c.collective.operation != Operation::broadcast || c.machine.has_paths() || schedule.empty()) return "";
    const auto lines = Lines::of(schedule, c.topology().nodes(), dice);
    if (lines == nullptr) return "";
    Job job;
    job.machine = c.machine;
    job.collective = c.collective;
    job.seed = c.seed;
    job.program = PlanProgram(lines);
    job.starters = {c.collective.root};
    job.others_receive = true;
    const RunResult result = run(job, options);
    count(result, c, ran);
    return differs(result.verdict, audited, c, fmt::format("a run by a timetable of it ({})", name(result.engine)));
}

/// Returns the results of a reduction computed by a Mover, as RunResult::results.
std::vector<std::string> results_of(Mover& mover, const Case& c) {
    const std::uint64_t segments = c.collective.segments(c.topology().nodes());
    const Folder folder(c.options.reduction, c.collective.packet_bytes, c.seed, true, segments);
    std::map<NodeId, std::string> results;  // of several segments the first
    for (const Standing& given : mover.plan().brought) {
        std::vector<std::byte> bytes;
        for (std::size_t s = 0; s < mover.slices(); ++s) {
            const auto part = mover.memory().part(s, given.place);
            bytes.insert(bytes.end(), part.begin(), part.end());
        }
        results.try_emplace(given.node, folder.text(bytes.data(), bytes.size()));
    }
    for (NodeId v = 0; c.collective.counts != nullptr && v < c.topology().nodes(); ++v)
        if (c.collective.gives_result(v)) results.try_emplace(v, "");  // its block has no segments
    const auto texts = std::views::values(results);
    return {texts.begin(), texts.end()};
}

std::string moved(const Schedule& schedule, const Case& c, const Verdict& audited, const Ran& ran, Dice& dice,
                  const std::vector<std::string>& results) {
    const std::uint64_t slice = std::uint64_t{8} << dice.below(8);
    const unsigned threads = dice.happens(0.1) ? 2 : 1;
    Mover mover(schedule, c.machine, c.collective, c.options.reduction, c.seed, slice);
    // The mover moves all packets as the largest.
    if (!c.collective.has_sizes() && mover.bytes_moved() != audited.metrics.bytes)
        return fmt::format("the mover moves {} bytes, the auditor counts {}", mover.bytes_moved(),
                           audited.metrics.bytes);
    const auto copies =
        std::accumulate(mover.plan().movements.begin(), mover.plan().movements.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const Movement& movement) { return sum + movement.count; });
    if (!c.collective.folds() && copies != mover.plan().packets_moved)
        return fmt::format("the mover copies {} packets, and messages carry {}", copies, mover.plan().packets_moved);
    if (mover.bytes_moved() != 0) ran({Execution::mover});
    for (const char* time : {"first", "second"}) {
        mover.spoil();  // so that right bytes afterwards prove that they were moved this time
        mover.move(threads);
        if (const auto wrong = mover.verify())
            return fmt::format(
                "the bytes of the recorded schedule moved alone for the {} time, in slices of {}: node {} "
                "lacks packet {} from byte {} on",
                time, slice, wrong->node, wrong->packet, wrong->byte);
    }
    const bool has_numbers = c.collective.folds() && c.collective.packet_bytes != 0;
    if (!has_numbers || c.topology().nodes() > shown_results_max) return "";
    const std::vector<std::string> by_mover = results_of(mover, c);
    const auto [moved, followed] = std::ranges::mismatch(by_mover, results);
    if (moved == by_mover.end() && followed == results.end()) return "";
    return fmt::format(
        "programs that follow the recorded schedule give other results than its bytes moved alone: result {} is {}, "
        "moved {}",
        followed - results.begin(), followed == results.end() ? "missing" : *followed,
        moved == by_mover.end() ? "missing" : *moved);
}

}  // namespace

std::string told_differently(const Schedule& schedule, const Case& c, const Verdict& of_schedule, Dice& dice,
                             const Ran& ran, const std::atomic<bool>* stop) {
    if (!c.collective.folds())
        if (std::string text = replayed(schedule, c, of_schedule, ran, stop); !text.empty()) return text;
    RunOptions options;
    options.per_round = true;
    options.stop = stop;
    if (dice.happens(0.5)) options.engine = EngineKind::free;
    std::vector<std::string> results;
    if (std::string text = followed(schedule, c, of_schedule, ran, options, results); !text.empty()) return text;
    if (const auto again = refolded(schedule, c); again && *again != results)
        return "programs that follow the recorded schedule give other results than their values folded once more";
    if (std::string text = timed(schedule, c, of_schedule, ran, options, dice); !text.empty()) return text;
    if (std::string text = turned(schedule, c); !text.empty()) return text;
    if (std::string text = reduced_and_told(schedule, c); !text.empty()) return text;
    const bool texts = c.collective.folds() && c.options.reduction.type == ElementType::text;
    // Texts change size; the mover has places of one size.
    return texts ? "" : moved(schedule, c, of_schedule, ran, dice, results);
}

}  // namespace kport
