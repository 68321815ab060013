#include "files/msccl_writing.hpp"

#include <algorithm>
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
      accumulated_(nodes_), pieces_(nodes_) {
    if (collective_.folds()) find_what_is_kept_apart();
}

/// Goes through the schedule as if everything were folded when it comes.
void WrittenData::find_what_is_kept_apart() {
    const Schedule& schedule = told_.schedule;
    for (std::size_t first = 0; first < schedule.size();) {
        std::size_t end = first;
        std::vector<std::vector<SentChunk>> sent;
        for (; end < schedule.size() && schedule.round(end) == schedule.round(first); ++end) {
            sent.push_back(values_of(schedule.transfer(end)));
            const NodeId from = schedule.transfer(end).from;
            for (const SentChunk& chunk : sent.back())
                if (!simple_source(from, chunk)) pieces_[from][chunk.name.first] = {};
        }
        for (std::size_t i = first; i < end; ++i)
            for (const SentChunk& chunk : sent[i - first]) accumulate(schedule.transfer(i).to, chunk);
        first = end;
    }
    for (NodeId v = 0; v < nodes_; ++v)
        for (std::uint64_t chunk = 0; layout_.wanted(v, 0) && chunk < layout_.outputs(); ++chunk) {
            const ContributionRun wanted = *layout_.wanted(v, chunk);
            const auto held = accumulated_[v].find(wanted.chunk);
            if (held != accumulated_[v].end() && !slots::is_exactly(held->second, wanted))
                pieces_[v][wanted.chunk] = {};
        }
    accumulated_.assign(nodes_, {});
    scratch_.assign(nodes_, {});
}

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

bool WrittenData::is_complete(const Value& value) const {
    return !collective_.inwards() && slots::is_exactly(value, {value->runs.front().chunk, 0, nodes_ - 1});
}

std::optional<Place> WrittenData::simple_source(NodeId from, const SentChunk& chunk) {
    const std::uint64_t segment = chunk.name.first;
    const auto held = accumulated_[from].find(segment);
    if (held != accumulated_[from].end() && held->second->runs == chunk.value->runs) return accumulator(from, segment);
    if (slots::is_exactly(chunk.value, {segment, from, from})) return Place{'i', segment};
    return std::nullopt;
}

std::vector<ChunkRun> WrittenData::send(const Transfer& transfer) {
    received_ = 0;
    std::vector<ChunkRun> copies;
    const NodeId from = transfer.from;
    sent_.push_back(collective_.folds() ? values_of(transfer) : packets_of(transfer));
    if (!collective_.folds()) return copies;
    for (SentChunk& chunk : sent_.back()) {
        const std::uint64_t segment = chunk.name.first;
        const std::optional<Place> source = pieces_[from].contains(segment)
                                                ? compose(from, segment, chunk.value, std::nullopt, copies)
                                                : simple_source(from, chunk);
        if (!source)
            throw RequestError(
                fmt::format("node {} sends {} to node {}, which is no sum of what has come to it; MSCCL's "
                            "XML cannot take a value apart",
                            from, in_words(chunk.value), transfer.to));
        chunk.source = *source;
    }
    return copies;
}

namespace {

/// Whether all contributions of the first are in the second.
bool is_part(const Value& part, const Value& whole) {
    return std::ranges::all_of(part->runs, [&](const ContributionRun& run) {
        return std::ranges::any_of(whole->runs, [&](const ContributionRun& other) {
            return other.chunk == run.chunk && other.first <= run.first && run.last <= other.last;
        });
    });
}

}  // namespace

std::optional<Place> WrittenData::compose(NodeId v, std::uint64_t segment, const Value& value,
                                          std::optional<Place> target, std::vector<ChunkRun>& copies) {
    std::vector<Piece>& pieces = pieces_[v][segment];
    if (pieces.empty()) pieces.push_back({slots::value_of({segment, v, v}), {'i', segment}});
    std::vector<Place> parts;
    Value sum;
    for (const Piece& piece : pieces) {
        if (piece.value->runs == value->runs) {
            parts = {piece.place};
            sum = piece.value;
            break;
        }
        if (piece.is_composed || !is_part(piece.value, value)) continue;
        parts.push_back(piece.place);
        sum = sum == nullptr ? piece.value : slots::sum_of(sum, piece.value);
    }
    if (sum == nullptr || sum->runs != value->runs) return std::nullopt;
    if (parts.size() == 1 && !target) return parts.front();
    const Place at = target ? *target : scratch(v, {segment, ++composed_});
    for (const Place& part : parts)
        if (part.buffer != at.buffer || part.offset != at.offset)
            copies.push_back({part, at, part.buffer != parts.front().buffer || part.offset != parts.front().offset});
    pieces.push_back({value, at, true});
    return at;
}

std::vector<ChunkRun> WrittenData::receive(const Transfer& transfer) {
    std::vector<ChunkRun> runs;
    for (const SentChunk& chunk : sent_[received_++])
        runs.push_back(collective_.folds() ? fold(transfer.to, chunk)
                                           : ChunkRun{chunk.source, place_of(transfer.to, chunk.name)});
    return runs;
}

void WrittenData::accumulate(NodeId to, const SentChunk& chunk) {
    const std::uint64_t segment = chunk.name.first;
    Value& held = accumulated_[to][segment];
    if (is_complete(chunk.value))
        held = chunk.value;
    else
        held = slots::sum_of(held == nullptr ? slots::value_of({segment, to, to}) : held, chunk.value);
}

/// The result replaces what stands there; all else is kept apart, or folded with it, at first with the own contribution.
ChunkRun WrittenData::fold(NodeId to, const SentChunk& sent) {
    const std::uint64_t segment = sent.name.first;
    if (const auto apart = pieces_[to].find(segment); apart != pieces_[to].end()) {
        if (apart->second.empty()) apart->second.push_back({slots::value_of({segment, to, to}), {'i', segment}});
        const Place at = is_complete(sent.value) ? accumulator(to, segment) : scratch(to, {segment, ++composed_});
        apart->second.push_back({sent.value, at});
        return {sent.source, at};
    }
    const Place at = accumulator(to, segment);
    const bool is_first = !accumulated_[to].contains(segment);
    accumulate(to, sent);
    if (is_complete(sent.value)) return {sent.source, at};
    return {sent.source, at, true, is_first ? Place{'i', segment} : at};
}

std::vector<ChunkRun> WrittenData::own_copies(NodeId v) {
    std::vector<ChunkRun> copies;
    if (!layout_.wanted(v, 0)) return copies;
    for (std::uint64_t chunk = 0; chunk < layout_.outputs(); ++chunk) {
        const ContributionRun wanted = *layout_.wanted(v, chunk);
        if (collective_.folds() && pieces_[v].contains(wanted.chunk))
            (void)compose(v, wanted.chunk, slots::value_of(wanted), Place{'o', chunk}, copies);
        else if (wanted.first == v && wanted.last == v && !accumulated_[v].contains(wanted.chunk))
            copies.push_back({{'i', wanted.chunk}, {'o', chunk}});
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
