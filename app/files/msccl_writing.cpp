#include "app/files/msccl_writing.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"

namespace kport::msccl {

std::size_t GpuSteps::block_for(NodeId peer) {
    const auto found = std::ranges::find(peers_, peer);
    if (found != peers_.end()) return static_cast<std::size_t>(found - peers_.begin());
    peers_.push_back(peer);
    blocks_.emplace_back();
    return blocks_.size() - 1;
}

void GpuSteps::add_message(NodeId peer, bool sends, const ChunkRun& run, Round round) {
    const std::size_t block = block_for(peer);
    if (sends)
        add(block, {"s", run.source, run.destination, run.count, round}, true, false);
    else if (run.folds)
        add(block, {"rrc", run.folded_with, run.destination, run.count, round}, true, true);
    else
        add(block, {"r", run.source, run.destination, run.count, round}, false, true);
}

void GpuSteps::add_local(NodeId peer, const ChunkRun& run, Round round) {
    add(block_for(peer), {run.folds ? "re" : "cpy", run.source, run.destination, run.count, round}, true, true);
}

void GpuSteps::add(std::size_t block, WrittenStep step, bool reads, bool writes) {
    const StepName name{block, blocks_[block].size()};
    const auto wait_for = [&](const std::vector<StepName>& steps) {
        for (const StepName& other : steps)
            if (other.first != block) step.after.insert(other);
    };
    for (std::uint64_t i = 0; i < step.count; ++i) {
        if (reads) {
            Touched& source = touched_[{step.source.buffer, step.source.offset + i}];
            wait_for(source.written_by);
            source.read_by.push_back(name);
        }
        if (writes) {
            Touched& destination = touched_[{step.destination.buffer, step.destination.offset + i}];
            wait_for(destination.written_by);
            wait_for(destination.read_by);
            destination = {{name}, {}};
        }
    }
    blocks_[block].push_back(std::move(step));
}

void GpuSteps::settle_waiting() {
    for (std::vector<WrittenStep>& steps : blocks_) {
        std::size_t number = 0;
        for (WrittenStep& step : steps) {
            std::map<std::size_t, std::size_t> last;
            for (const auto& [block, of] : step.after) last[block] = of;
            step.after = {last.begin(), last.end()};
            number += last.empty() ? 0 : last.size() - 1;
            step.number = number++;
        }
    }
    for (const std::vector<WrittenStep>& steps : blocks_)
        for (const WrittenStep& step : steps)
            for (const auto& [block, of] : step.after) blocks_[block][of].awaited = true;
}

void GpuSteps::put(std::ostream& out, NodeId v) const {
    if (blocks_.size() > blocks_max_of_channel)
        throw RequestError(
            fmt::format("node {} has {} blocks, one for each node it talks to and one for copies; MSCCL's "
                        "XML has at most {} a channel",
                        v, blocks_.size(), blocks_max_of_channel));
    for (std::size_t block = 0; block < blocks_.size(); ++block) put_block(out, block);
}

void GpuSteps::put_block(std::ostream& out, std::size_t block) const {
    const auto any = [&](bool sends) {
        return std::ranges::any_of(blocks_[block], [&](const WrittenStep& s) { return (s.type == "s") == sends; });
    };
    const bool copies = peers_[block] == no_node;
    out << fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", block,
                       !copies && any(true) ? fmt::to_string(peers_[block]) : "-1",
                       !copies && any(false) ? fmt::to_string(peers_[block]) : "-1");
    std::vector<Round> rounds;
    std::string lines;
    for (const WrittenStep& step : blocks_[block]) put_step(lines, step, rounds);
    if (rounds.size() > steps_max)
        throw RequestError(fmt::format("a node has {} steps with one other; MSCCL's XML has at most {} a block",
                                       rounds.size(), steps_max));
    if (!copies) out << fmt::format("      <!--{}{}{} -->\n", own_words, round_words, fmt::join(rounds, " "));
    out << lines << "    </tb>\n";
}

void GpuSteps::put_step(std::string& lines, const WrittenStep& step, std::vector<Round>& rounds) const {
    const auto line = [&](std::string_view type, std::string_view places, std::uint64_t count, const std::string& after,
                          bool told) {
        lines += fmt::format("      {}\n", step_tag(rounds.size(), type, places, count, after, told));
        rounds.push_back(step.round);
    };
    std::string after(no_wait);
    std::size_t left = step.after.size();
    for (const auto& [block, of] : step.after) {
        after = wait_text(block, blocks_[block][of].number);
        if (--left > 0) line("nop", no_places, 0, after, false);
    }
    line(step.type, places_text(step.source, step.destination), step.count, after, step.awaited);
}

}  // namespace kport::msccl
