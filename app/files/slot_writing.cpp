#include "app/files/slot_writing.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/files/contents.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"

namespace kport::slots {

namespace {

/// Joins consecutive chunks, up to `most`.
std::vector<ChunkRun> joined(const std::vector<ChunkRun>& chunks, std::uint64_t count_max) {
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

/// Tracks where each value is as the schedule goes on. Contributions are combined in the output, or in scratch if a GPU
/// gets no result; never in the input, which belongs to the user. If a GPU later sends a part of what it has combined,
/// received values are kept apart, and combined when they are sent.
class WrittenData {
  public:
    WrittenData(const ToldSchedule& told, const Layout& layout, std::string_view form);

    void begin_round() { sent_.clear(); }
    /// Takes the values as they are before anything of the round arrives. Returns what the sender must copy ("folds":
    /// reduce) before it sends. Throws RequestError if it would have to send a part of a value that was combined before
    /// it came.
    [[nodiscard]] std::vector<ChunkRun> send(const Transfer& transfer);
    /// Returns the chunks of the message, in the order of send().
    [[nodiscard]] std::vector<ChunkRun> receive(const Transfer& transfer);
    /// After the last round: returns what a GPU must still copy or reduce to its output.
    [[nodiscard]] std::vector<ChunkRun> own_copies(NodeId v);

    [[nodiscard]] std::uint64_t scratch_of(NodeId v) const;

  private:
    /// A packet as (row, column); contributions to a segment and its result are (segment, 0).
    using Name = std::pair<std::uint64_t, std::uint64_t>;
    struct SentChunk {
        Name name;
        Place source;
        Value value = {};
    };

    /// A value that is kept apart; composed ones are sums of others.
    struct Piece {
        Value value;
        Place place;
        bool is_composed = false;
    };

    void find_what_is_kept_apart();
    [[nodiscard]] std::optional<Place> simple_source(NodeId from, const SentChunk& chunk);
    void accumulate(NodeId to, const SentChunk& chunk);
    /// Returns where the value is after some copies. Nothing if it is no sum of received values. `target`: the required
    /// place.
    [[nodiscard]] std::optional<Place> compose(NodeId v, std::uint64_t segment, const Value& value,
                                               std::optional<Place> target, std::vector<ChunkRun>& copies);
    [[nodiscard]] bool is_complete(const Value& value) const;
    [[nodiscard]] std::vector<SentChunk> packets_of(const Transfer& transfer);
    [[nodiscard]] std::vector<SentChunk> values_of(const Transfer& transfer) const;
    [[nodiscard]] Place place_of(NodeId v, const Name& packet);
    [[nodiscard]] Place accumulator(NodeId v, std::uint64_t segment);
    [[nodiscard]] Place scratch(NodeId v, const Name& name);
    [[nodiscard]] ChunkRun fold(NodeId to, const SentChunk& sent);

    const ToldSchedule& told_;
    const Collective& collective_;
    const Layout& layout_;
    std::string_view form_;
    NodeId nodes_;
    std::vector<std::map<Name, std::uint64_t>> scratch_;       ///< by node
    std::vector<std::map<std::uint64_t, Value>> accumulated_;  ///< by node and segment; missing: own contribution only
    std::vector<std::map<std::uint64_t, std::vector<Piece>>> pieces_;  ///< for values kept apart; by node and segment
    std::uint64_t composed_ = 0;                                       ///< number of composed pieces, for their slots
    std::vector<std::vector<SentChunk>> sent_;                         ///< sends of the round, by transfer
    std::size_t received_ = 0;
};

WrittenData::WrittenData(const ToldSchedule& told, const Layout& layout, std::string_view form)
    : told_(told), collective_(told.collective), layout_(layout), form_(form), nodes_(told.topology->nodes()),
      scratch_(nodes_), accumulated_(nodes_), pieces_(nodes_) {
    if (collective_.folds()) find_what_is_kept_apart();
}

/// Simulates the schedule as if everything were combined on arrival.
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
            if (held != accumulated_[v].end() && !is_exactly(held->second, wanted)) pieces_[v][wanted.chunk] = {};
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
    const std::uint64_t of_node = column * m + row;  // their order is by node
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

/// Returns a chunk for each segment: the contributions to it, or its result.
std::vector<WrittenData::SentChunk> WrittenData::values_of(const Transfer& transfer) const {
    std::map<std::uint64_t, Value> values;
    for (const PacketBlock& block : transfer.packets)
        for (std::uint32_t r = 0; r < block.rows; ++r)
            for (std::uint32_t c = 0; c < block.count; ++c) {
                const std::uint64_t segment = block.all_rows()[r];
                const std::uint64_t column = block.columns()[c];
                const Value one =
                    column == nodes_ ? value_of({segment, 0, nodes_ - 1}) : value_of({segment, column, column});
                Value& value = values[segment];
                value = value == nullptr ? one : sum_of(value, one);
            }
    std::vector<SentChunk> chunks;
    for (const auto& [segment, value] : values) chunks.push_back({{segment, 0}, {}, value});
    return chunks;
}

bool WrittenData::is_complete(const Value& value) const {
    return !collective_.inwards() && is_exactly(value, {value->runs.front().chunk, 0, nodes_ - 1});
}

std::optional<Place> WrittenData::simple_source(NodeId from, const SentChunk& chunk) {
    const std::uint64_t segment = chunk.name.first;
    const auto held = accumulated_[from].find(segment);
    if (held != accumulated_[from].end() && held->second->runs == chunk.value->runs) return accumulator(from, segment);
    if (is_exactly(chunk.value, {segment, from, from})) return Place{'i', segment};
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
            throw RequestError(fmt::format(
                "node {} sends {} to node {}, which is no sum of what has come to it; {} cannot take a value "
                "apart",
                from, in_words(chunk.value), transfer.to, form_));
        chunk.source = *source;
    }
    return copies;
}

/// Whether `whole` has all contributions of `part`.
bool is_part(const Value& part, const Value& whole) {
    return std::ranges::all_of(part->runs, [&](const ContributionRun& run) {
        return std::ranges::any_of(whole->runs, [&](const ContributionRun& other) {
            return other.chunk == run.chunk && other.first <= run.first && run.last <= other.last;
        });
    });
}

std::optional<Place> WrittenData::compose(NodeId v, std::uint64_t segment, const Value& value,
                                          std::optional<Place> target, std::vector<ChunkRun>& copies) {
    std::vector<Piece>& pieces = pieces_[v][segment];
    if (pieces.empty()) pieces.push_back({value_of({segment, v, v}), {'i', segment}});
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
        sum = sum == nullptr ? piece.value : sum_of(sum, piece.value);
    }
    if (sum == nullptr || sum->runs != value->runs) return std::nullopt;
    if (parts.size() == 1 && !target) return parts.front();
    const Place at = target ? *target : scratch(v, {segment, ++composed_});
    for (const Place& part : parts)
        if (part != at) copies.push_back({part, at, part != parts.front(), at});
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
        held = sum_of(held == nullptr ? value_of({segment, to, to}) : held, chunk.value);
}

/// A result replaces the stored value; all else is kept apart, or combined with it, at first with the own contribution.
ChunkRun WrittenData::fold(NodeId to, const SentChunk& sent) {
    const std::uint64_t segment = sent.name.first;
    if (const auto apart = pieces_[to].find(segment); apart != pieces_[to].end()) {
        if (apart->second.empty()) apart->second.push_back({value_of({segment, to, to}), {'i', segment}});
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
            (void)compose(v, wanted.chunk, value_of(wanted), Place{'o', chunk}, copies);
        else if (wanted.first == v && wanted.last == v && !accumulated_[v].contains(wanted.chunk))
            copies.push_back({{'i', wanted.chunk}, {'o', chunk}});
    }
    return copies;
}

/// Processes a schedule round by round.
class ProgramWriter {
  public:
    ProgramWriter(const ToldSchedule& told, std::string_view form, std::uint64_t count_max)
        : told_(told), count_max_(count_max),
          nodes_(told.topology->nodes()), program_{{told.collective, nodes_, vector_of(told.collective, nodes_),
                                                    false}},
          data_(told, program_.layout, form) {}

    WrittenProgram write() {
        const Schedule& schedule = told_.schedule;
        for (std::size_t first = 0; first < schedule.size();) {
            std::size_t end = first;
            while (end < schedule.size() && schedule.round(end) == schedule.round(first)) ++end;
            add_round(first, end);
            first = end;
        }
        for (NodeId v = 0; v < nodes_; ++v) add_local(v, no_node, joined(data_.own_copies(v), count_max_), 0);
        for (NodeId v = 0; v < nodes_; ++v) program_.scratch.push_back(data_.scratch_of(v));
        return std::move(program_);
    }

  private:
    using Kind = WrittenAction::Kind;

    /// Vectors are counted in segments; each block of a reduce-scatter has as many.
    static std::uint64_t vector_of(const Collective& collective, NodeId nodes) {
        return collective.packets_each * (Layout::has_shares(collective.operation) ? nodes : 1);
    }

    /// A node has before the round what it sends in it: sends first.
    void add_round(std::size_t first, std::size_t end) {
        const Schedule& schedule = told_.schedule;
        const Round round = schedule.round(first);
        std::vector<std::vector<ChunkRun>> runs;
        data_.begin_round();
        for (std::size_t i = first; i < end; ++i) {
            const Transfer transfer = schedule.transfer(i);
            add_local(transfer.from, transfer.to, data_.send(transfer), round);
        }
        for (std::size_t i = first; i < end; ++i) {
            (void)way_in_words(schedule.transfer(i), *told_.topology);  // refuses routes that lead nowhere
            runs.push_back(joined(data_.receive(schedule.transfer(i)), count_max_));
        }
        for (std::size_t i = first; i < end; ++i) {
            const Transfer transfer = schedule.transfer(i);
            program_.actions.push_back({Kind::send, transfer.from, transfer.to, i, runs[i - first], round});
        }
        for (std::size_t i = first; i < end; ++i) {
            const Transfer transfer = schedule.transfer(i);
            program_.actions.push_back({Kind::receive, transfer.to, transfer.from, i, runs[i - first], round});
        }
    }

    void add_local(NodeId at, NodeId peer, const std::vector<ChunkRun>& runs, Round round) {
        if (!runs.empty()) program_.actions.push_back({Kind::local, at, peer, 0, runs, round});
    }

    const ToldSchedule& told_;
    std::uint64_t count_max_;
    NodeId nodes_;
    WrittenProgram program_;
    WrittenData data_;
};

/// A chunk holds one value: runs of contributions that came apart are folded, which may be one too many for a node that takes some.
void require_folded(const ToldSchedule& told, std::string_view form) {
    if (!told.collective.folds() || !told.collective.in_runs) return;
    Machine machine;  // no port and no channel is short
    machine.topology = told.topology;
    machine.ports = PortLimit::all();
    machine.switching = Switching::wormhole;
    Collective folded = told.collective;
    folded.in_runs = folded.unfolded = false;
    const auto breaches = [&](const Collective& collective) {
        return audit(told.schedule, machine, collective, false).count(Rule::delivery);
    };
    if (breaches(folded) > breaches(told.collective))
        throw RequestError(
            fmt::format("{} has one value of a segment in a message, and here values must stay apart; text and JSON "
                        "can say it",
                        form));
}

}  // namespace

WrittenProgram written_program(const ToldSchedule& told, std::string_view form, std::uint64_t count_max) {
    if (!told.schedule.silences().empty())
        throw RequestError(fmt::format("{} cannot say that rounds are silent on purpose; text and JSON can", form));
    if (!Layout::exists_for(told.collective.operation))
        throw RequestError(
            fmt::format("{} is not written of {}; text and JSON are", form, name(told.collective.operation)));
    if (told.collective.members != nullptr)
        throw RequestError(
            fmt::format("{} is of all GPUs, and here some nodes have no part; text and JSON can say it", form));
    if (told.collective.counts != nullptr)
        throw RequestError(
            fmt::format("{} has as many chunks of each node, and here counts differ; text and JSON can say it", form));
    require_folded(told, form);
    return ProgramWriter(told, form, count_max).write();
}

}  // namespace kport::slots
