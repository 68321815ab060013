#include "files/msccl_writing.hpp"

#include <algorithm>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"

namespace kport::msccl {

using slots::ContributionRun;
using slots::Value;

std::vector<ChunkRun> joined(const std::vector<ChunkRun>& chunks) {
    std::vector<ChunkRun> runs;
    const auto follows = [](const Place& at, const Place& begin, std::uint64_t count) {
        return at.buffer == begin.buffer && at.offset == begin.offset + count;
    };
    for (const ChunkRun& chunk : chunks) {
        ChunkRun* const last = runs.empty() ? nullptr : &runs.back();
        if (last != nullptr && last->count < count_max && last->folds == chunk.folds &&
            follows(chunk.source, last->source, last->count) &&
            follows(chunk.destination, last->destination, last->count) &&
            (!chunk.folds || follows(chunk.folded_with, last->folded_with, last->count)))
            ++last->count;
        else
            runs.push_back(chunk);
    }
    return runs;
}

WrittenData::WrittenData(const ToldSchedule& told, const slots::Layout& layout)
    : told_(told), collective_(told.collective), layout_(layout), nodes_(told.topology->nodes()), scratch_(nodes_),
      accumulated_(nodes_) {}

Place WrittenData::scratch(NodeId v, const Name& name) {
    return {'s', scratch_[v].try_emplace(name, scratch_[v].size()).first->second};
}

std::uint64_t WrittenData::scratch_of(NodeId v) const { return scratch_[v].size(); }

Place WrittenData::place_of(NodeId v, const Name& packet) {
    const auto [row, column] = packet;
    const Operation& operation = collective_.operation;
    const std::uint64_t m = collective_.packets_each;
    const std::uint64_t of_node = column * m + row;  // where they stand node by node
    const NodeId root = collective_.root;
    if (operation == Operation::broadcast) return {v == root ? 'i' : 'o', column};
    if (operation == Operation::allgather) return column == v ? Place{'i', row} : Place{'o', of_node};
    if (operation == Operation::scatter && v == root) return {'i', of_node};
    if (operation == Operation::scatter && v == column) return {'o', row};
    if (operation == Operation::gather && v == column) return {'i', row};
    if (operation == Operation::gather && v == root) return {'o', of_node};
    if (operation == Operation::alltoall && v == row / m) return {'i', column * m + row % m};
    if (operation == Operation::alltoall && v == column) return {'o', row};
    if (operation == Operation::permutation && v == column) return {'i', row};
    if (operation == Operation::permutation && column == collective_.permutation.source(v, nodes_)) return {'o', row};
    return scratch(v, packet);
}

Place WrittenData::accumulator(NodeId v, std::uint64_t segment) {
    if (!layout_.wanted(v, 0)) return scratch(v, {segment, 0});
    if (collective_.operation != Operation::reduce_scatter) return {'o', segment};
    const std::uint64_t m = collective_.packets_each;
    return segment / m == v ? Place{'o', segment % m} : scratch(v, {segment, 0});
}

std::vector<WrittenData::SentChunk> WrittenData::packets_of(const Transfer& transfer) {
    std::vector<SentChunk> chunks;
    for (const PacketBlock& block : transfer.packets)
        for (std::uint32_t c = 0; c < block.count; ++c)
            for (std::uint32_t r = 0; r < block.rows; ++r) {
                const Name packet{block.all_rows()[r], block.columns()[c]};
                chunks.push_back({packet, place_of(transfer.from, packet)});
            }
    return chunks;
}

/// A chunk for each segment: the contributions to it, or its result.
std::vector<WrittenData::SentChunk> WrittenData::values_of(const Transfer& transfer) const {
    std::map<std::uint64_t, Value> values;
    for (const PacketBlock& block : transfer.packets)
        for (std::uint32_t r = 0; r < block.rows; ++r)
            for (std::uint32_t c = 0; c < block.count; ++c) {
                const std::uint64_t segment = block.all_rows()[r];
                const std::uint64_t column = block.columns()[c];
                const Value one = column == nodes_ ? slots::value_of({segment, 0, nodes_ - 1})
                                                   : slots::value_of({segment, column, column});
                Value& value = values[segment];
                value = value == nullptr ? one : slots::sum_of(value, one);
            }
    std::vector<SentChunk> chunks;
    for (const auto& [segment, value] : values) chunks.push_back({{segment, 0}, {}, value});
    return chunks;
}

void WrittenData::send(const Transfer& transfer) {
    received_ = 0;
    if (!collective_.folds()) {
        sent_.push_back(packets_of(transfer));
        return;
    }
    const NodeId from = transfer.from;
    std::vector<SentChunk> chunks = values_of(transfer);
    for (SentChunk& chunk : chunks) {
        const std::uint64_t segment = chunk.name.first;
        const auto held = accumulated_[from].find(segment);
        if (held != accumulated_[from].end() && held->second->runs == chunk.value->runs)
            chunk.source = accumulator(from, segment);
        else if (slots::is_exactly(chunk.value, {segment, from, from}))
            chunk.source = {'i', segment};
        else
            throw RequestError(
                fmt::format("node {} sends {} to node {}, which stands nowhere: it has folded {}; MSCCL's "
                            "XML is written where nodes send their own or all that they have folded",
                            from, in_words(chunk.value), transfer.to,
                            held == accumulated_[from].end() ? "nothing" : in_words(held->second)));
    }
    sent_.push_back(std::move(chunks));
}

std::vector<ChunkRun> WrittenData::receive(const Transfer& transfer) {
    std::vector<ChunkRun> runs;
    for (const SentChunk& chunk : sent_[received_++])
        runs.push_back(collective_.folds() ? fold(transfer.to, chunk)
                                           : ChunkRun{chunk.source, place_of(transfer.to, chunk.name)});
    return runs;
}

/// The result replaces what stands there; all else is folded with it, or at first with the own contribution.
ChunkRun WrittenData::fold(NodeId to, const SentChunk& sent) {
    const std::uint64_t segment = sent.name.first;
    const Place at = accumulator(to, segment);
    const auto [held, is_first] = accumulated_[to].try_emplace(segment);
    if (slots::is_exactly(sent.value, {segment, 0, nodes_ - 1}) && !collective_.inwards()) {
        held->second = sent.value;
        return {sent.source, at};
    }
    held->second = slots::sum_of(is_first ? slots::value_of({segment, to, to}) : held->second, sent.value);
    return {sent.source, at, true, is_first ? Place{'i', segment} : at};
}

std::vector<ChunkRun> WrittenData::own_copies(NodeId v) const {
    std::vector<ChunkRun> copies;
    if (!layout_.wanted(v, 0)) return copies;
    for (std::uint64_t chunk = 0; chunk < layout_.outputs(); ++chunk) {
        const ContributionRun wanted = *layout_.wanted(v, chunk);
        const bool is_own = wanted.first == v && wanted.last == v;
        const bool is_lonely = collective_.folds() && !accumulated_[v].contains(wanted.chunk);
        if (is_own && (!collective_.folds() || is_lonely)) copies.push_back({{'i', wanted.chunk}, {'o', chunk}});
    }
    return copies;
}

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

void GpuSteps::add_copy(const ChunkRun& run) {
    add(block_for(no_node), {"cpy", run.source, run.destination, run.count}, true, true);
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
    const auto line = [&](std::string_view type, const std::string& places, std::uint64_t count,
                          const std::string& after, bool told) {
        lines += fmt::format("      <step s=\"{}\" type=\"{}\" {} cnt=\"{}\" {} hasdep=\"{}\"/>\n", rounds.size(), type,
                             places, count, after, told ? 1 : 0);
        rounds.push_back(step.round);
    };
    std::string after = R"(depid="-1" deps="-1")";
    std::size_t left = step.after.size();
    for (const auto& [block, of] : step.after) {
        after = fmt::format("depid=\"{}\" deps=\"{}\"", block, blocks_[block][of].number);
        if (--left > 0) line("nop", R"(srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1")", 0, after, false);
    }
    line(step.type,
         fmt::format("srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\"", step.source.buffer, step.source.offset,
                     step.destination.buffer, step.destination.offset),
         step.count, after, step.awaited);
}

}  // namespace kport::msccl
