#include "emulator/engine/job.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "emulator/engine/choose_execution.hpp"
#include "emulator/engine/free_running.hpp"

namespace kport {

namespace {

std::string text_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception of unknown type";
    }
}

/// Whether a node to which nothing comes has a result.
bool has_result_alone(const Collective& collective, NodeId v, NodeId nodes) {
    if (!collective.folds() || !collective.gives_result(v)) return false;
    const PacketSet wanted = collective.wanted(v, nodes);
    return collective.inwards() || (!wanted.empty() && collective.owned(v, nodes).covers(wanted.blocks()));
}

}  // namespace

Job job_following(std::shared_ptr<const Plan> plan, const Machine& machine, const Collective& collective) {
    require_topology(machine);
    Job job;
    job.program = PlanProgram(std::move(plan));
    const Plan& acts = *plan_of(job);
    job.machine = machine;
    job.collective = collective;
    job.others_receive = true;
    const NodeId nodes = machine.topology->nodes();
    for (NodeId v = 0; v < nodes; ++v) {
        std::uint64_t place = 0;
        const Act first = acts.next_act(v, place, no_port);
        if (first.sends() || (first.kind == Act::Kind::end && has_result_alone(collective, v, nodes))) {
            job.starters.push_back(v);
            job.starters_wait_until.push_back(std::max(first.not_before, Round{1}));
        }
        job.others_receive = job.others_receive && first.kind != Act::Kind::receive;
    }
    return job;
}

std::string_view name(EngineKind kind) { return kind == EngineKind::free ? "free" : "lockstep"; }

std::string_view text(NeedsRounds why) {
    switch (why) {
        case NeedsRounds::no: break;
        case NeedsRounds::order: return "the program depends on the order of arrival";
        case NeedsRounds::claims: return "claims compete, and only lockstep arbitrates them";
        case NeedsRounds::starts: return "a program does not wait first, as starters_wait_until or others_receive say";
    }
    return "";
}

Round default_max_rounds(NodeId nodes) {
    constexpr std::uint64_t least = 4'000'000;
    constexpr std::uint64_t each = 64;
    constexpr std::uint64_t most = max_rounds_max;
    return static_cast<Round>(std::clamp(std::min(nodes, most / each) * each, least, most));
}

RunResult run(const Job& job, const RunOptions& options) {
    return run_on_engine(
        options, [&] { return FreeRunning(job, options); }, [&] { return run_lockstep(job, options); });
}

ProgramError::ProgramError(NodeId the_node, Round the_round, const std::string& the_text)
    : std::runtime_error(fmt::format("node {} in round {}: {}", the_node, the_round, the_text)), node(the_node),
      round(the_round), text(the_text) {}

void rethrow_as_program_error(const std::exception_ptr& error, NodeId node, Round round) {
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        throw;  // not an error of the program
    } catch (...) {
        std::throw_with_nested(ProgramError(node, round, text_of(error)));
    }
}

}  // namespace kport
