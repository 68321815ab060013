#include "app/files/msccl_program.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kport::msccl {

namespace {

std::string gpu_name(NodeId rank) { return fmt::format("GPU {}", rank); }

TextEdit value_of(const Step& step, std::string_view attribute, std::uint64_t value) {
    return {step.at.line, step.at.column, std::string(attribute), fmt::to_string(value)};
}

TextEdit lines_before(const TextPlace& place, std::string lines, const TextPlace& like) {
    return {place.line, place.column, {}, std::move(lines), like.line};
}

/// Renumbers steps from `from` on, wherever they are named. Returns false if that exceeds a small change.
[[nodiscard]] bool renumber(const Gpu& gpu, const Block& block, std::size_t from, std::vector<TextEdit>& edits) {
    constexpr std::size_t edits_max = 1024;
    if (block.steps.size() >= steps_max) return false;  // loaders accept no more
    for (std::size_t i = from; i < block.steps.size(); ++i) edits.push_back(value_of(block.steps[i], "s", i + 1));
    for (const Block& other : gpu.blocks)
        for (const Step& step : other.steps)
            if (edits.size() <= edits_max && step.waits() && static_cast<std::uint64_t>(step.after_block) == block.id &&
                static_cast<std::size_t>(step.after_step) >= from)
                edits.push_back(value_of(step, "deps", static_cast<std::uint64_t>(step.after_step) + 1));
    return edits.size() <= edits_max;
}

/// Adds the edit even if the step publishes already: the change needs it if others are undone.
void publish(const Step& step, std::vector<TextEdit>& edits) { edits.push_back(value_of(step, "hasdep", 1)); }

/// Returns a separate block for steps without a peer.
std::string block_text(std::uint64_t id, const std::string& step) {
    return fmt::format("<tb id=\"{}\" send=\"-1\" recv=\"-1\" chan=\"0\">\n  {}\n</tb>\n", id, step);
}

TextPlace last_place(const std::vector<Block>& blocks) {
    return std::ranges::max(blocks, {}, [](const Block& block) { return std::pair(block.at.line, block.at.column); })
        .at;
}

}  // namespace

Repair missing_dependence(const Algorithm& algorithm, const BuiltProgram& built, EventId first, EventId second) {
    const RankEvent& before = built.program.graph.at(first);
    const RankEvent& after = built.program.graph.at(second);
    const Step& awaited = *built.steps[first];
    const Step& waiting = *built.steps[second];
    const Gpu& gpu = algorithm.gpus[after.rank];
    const bool needs_nop = waiting.waits() && static_cast<std::uint64_t>(waiting.after_block) != before.block;
    Repair repair{gpu_name(after.rank)};
    repair.what = fmt::format("{} at {}block {} step {}", wait_text(before.block, before.step),
                              needs_nop ? "a nop before " : "", after.block, after.step);
    publish(awaited, repair.edits);
    if (!awaited.awaited)
        repair.edits.back().what = fmt::format("hasdep=\"1\" at block {} step {}", before.block, before.step);
    if (!needs_nop) {
        repair.edits.push_back(value_of(waiting, "depid", before.block));
        repair.edits.push_back(value_of(waiting, "deps", before.step));
        return repair;
    }
    if (!renumber(gpu, gpu.blocks[after.block], after.step, repair.edits)) return {repair.where, repair.what};
    repair.edits.push_back(lines_before(
        waiting.at, step_tag(after.step, "nop", no_places, 0, wait_text(before.block, before.step), false) + "\n",
        waiting.at));
    return repair;
}

Repair missing_copy(const Algorithm& algorithm, const BuiltProgram& built, const slots::WantedCopy& copy) {
    const Gpu& gpu = algorithm.gpus[slots::rank_of(copy.to)];
    const Place source{slots::buffer_of(copy.from), slots::chunk_of(copy.from)};
    const Place destination{slots::buffer_of(copy.to), slots::chunk_of(copy.to)};
    const auto step = [&](std::size_t number) {
        return step_tag(number, "cpy", places_text(source, destination), copy.count, no_wait, false);
    };
    const auto chunks = [&](const Place& place) {
        const std::string last = copy.count == 1 ? "" : fmt::format("..{}", place.offset + copy.count - 1);
        return fmt::format("{}[{}{}]", place.buffer, place.offset, last);
    };
    Repair repair{gpu_name(slots::rank_of(copy.to)),
                  fmt::format("cpy of {} to {}", chunks(source), chunks(destination))};
    if (copy.written_by != no_event) {
        const Block& block = gpu.blocks[built.program.graph.at(copy.written_by).block];
        repair.what += fmt::format(" at the end of block {}", block.id);
        repair.edits.push_back(lines_before(block.end, step(block.steps.size()) + "\n", block.steps.back().at));
        return repair;
    }
    repair.what += " in a block of its own";
    if (!gpu.blocks.empty())
        repair.edits.push_back(lines_before(gpu.end, block_text(gpu.blocks.size(), step(0)), last_place(gpu.blocks)));
    return repair;
}

Repair publishing_at_once(NodeId rank, const Step& waiting, const std::vector<Step>& steps_of_block) {
    const auto begin = steps_of_block.begin() + waiting.after_step;
    const auto step = std::find_if(begin, steps_of_block.end(), [](const Step& each) { return each.type->moves(); });
    Repair repair{gpu_name(rank)};
    if (step == steps_of_block.end() || step->awaited) return repair;
    repair.what = fmt::format("hasdep=\"1\" at block {} step {}", waiting.after_block, step - steps_of_block.begin());
    publish(*step, repair.edits);
    return repair;
}

std::vector<Repair> repairs_of_cycle(const Algorithm& algorithm, const BuiltProgram& built,
                                     const std::vector<Precedence::Edge>& cycle) {
    std::vector<Repair> repairs;
    for (const Precedence::Edge& edge : cycle) {
        const Step& step = *built.steps[edge.before];
        if (!step.waits()) continue;
        const NodeId rank = built.program.graph.at(edge.before).rank;
        const Gpu& gpu = algorithm.gpus[rank];
        repairs.push_back(publishing_at_once(rank, step, gpu.blocks[static_cast<std::size_t>(step.after_block)].steps));
    }
    return repairs;
}

}  // namespace kport::msccl
