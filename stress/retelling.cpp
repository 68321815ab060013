#include "stress/retelling.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "emulator/engine/mover.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"

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

std::string followed(const Schedule& schedule, const Case& c, const Verdict& audited, const Ran& ran,
                     const RunOptions& options) {
    Job job = job_following(schedule, c.machine, c.collective);
    job.reduction = c.options.reduction;
    job.seed = c.seed;
    Schedule again;
    RunOptions recording = options;
    recording.recorded_schedule = &again;
    const RunResult result = run(job, recording);
    count(result, c, ran);
    const std::string who = fmt::format("a run of programs that follow it ({})", name(result.engine));
    if (std::string text = differs(result.verdict, audited, c, who); !text.empty()) return text;
    if (again.size() != schedule.size()) return fmt::format("{} records another schedule", who);
    return "";
}

std::string moved(const Schedule& schedule, const Case& c, const Verdict& audited, const Ran& ran, Dice& dice) {
    const std::uint64_t slice = std::uint64_t{8} << dice.below(8);
    const unsigned threads = dice.happens(0.1) ? 2 : 1;
    Mover mover(schedule, c.machine, c.collective, c.options.reduction, c.seed, slice);
    if (mover.bytes_moved() != audited.metrics.bytes)
        return fmt::format("the mover moves {} bytes, the auditor counts {}", mover.bytes_moved(),
                           audited.metrics.bytes);
    if (mover.bytes_moved() != 0) ran({Execution::mover});
    for (const char* time : {"first", "second"}) {
        mover.spoil();  // what is right afterwards was moved this time
        mover.move(threads);
        if (const auto wrong = mover.verify())
            return fmt::format(
                "the bytes of the recorded schedule moved alone for the {} time, in slices of {}: node {} "
                "lacks packet {} from byte {} on",
                time, slice, wrong->node, wrong->packet, wrong->byte);
    }
    return "";
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
    if (std::string text = followed(schedule, c, of_schedule, ran, options); !text.empty()) return text;
    const bool texts = c.collective.folds() && c.options.reduction.type == ElementType::text;
    // Texts change size; the mover has places of one size.
    return texts ? "" : moved(schedule, c, of_schedule, ran, dice);
}

}  // namespace kport
