/// @file mscclpp_writer.cpp   Writes a schedule as an MSCCL++ plan: a block for each peer of a GPU, which puts, signals
///                            and waits on one channel.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/foreign_schedule.hpp"
#include "app/files/mscclpp_plan.hpp"
#include "app/files/slot_writing.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/base/error.hpp"

namespace kport {

namespace mscclpp {

namespace {

using slots::ChunkRun;
using slots::Place;
using slots::WrittenAction;

/// The blocks of a GPU. Operations are added in an executable order. Accesses of one slot are ordered by a nop within a
/// block, and by a barrier of all blocks between two.
class GpuBlocks {
  public:
    GpuBlocks(Gpu& gpu, NodeId rank) : gpu_(gpu), rank_(rank) {}

    /// Opens a block before any operation is added; blocks without messages last, so that blocks and channels have
    /// equal numbers. A GPU signals to all writers of its memory that it has begun.
    void open(NodeId peer, bool sends, bool receives) {
        const std::size_t block = gpu_.blocks.size();
        block_of_[peer] = block;
        gpu_.blocks.emplace_back();
        states_.emplace_back();
        if (!sends && !receives) return;
        gpu_.add_channel(false, peer);
        if (receives) synchronize(block, "rlxsignal");
        if (sends) synchronize(block, "rlxwait");
    }

    /// Returns where a message to this GPU is put: at its destination if that is untouched, else in scratch.
    [[nodiscard]] Place landing(const ChunkRun& run) {
        Place at = run.destination;
        bool is_fresh = !run.folds && at.buffer != 'i';
        for (std::uint64_t i = 0; i < run.count; ++i) is_fresh &= !touched_.contains({at.buffer, at.offset + i});
        if (!is_fresh) {
            at = {'s', gpu_.scratch};
            gpu_.scratch += run.count;
        }
        for (std::uint64_t i = 0; i < run.count; ++i) touched_[{at.buffer, at.offset + i}] = {};
        return at;
    }

    void add_local(NodeId peer, const ChunkRun& run) { add_data(block_of_.at(peer), local_operation(run)); }

    /// `landed`: where each run is put at the peer. The runtime takes all sources of a put from one buffer.
    void put(NodeId peer, const std::vector<ChunkRun>& runs, const std::vector<Place>& landed, Round round) {
        const std::size_t block = block_of_.at(peer);
        for (const char buffer : {'i', 'o', 's'}) {
            Operation operation;
            for (std::size_t i = 0; i < runs.size(); ++i) {
                if (runs[i].source.buffer != buffer) continue;
                if (operation.sources.size() == pairs_max) add_data(block, std::exchange(operation, {}));
                operation.type = &operation_type("put");
                operation.round = round;
                operation.sources.push_back(chunks(runs[i].source, runs[i].count));
                operation.targets.push_back({peer, landed[i].buffer, landed[i].offset, runs[i].count});
            }
            if (!operation.sources.empty()) add_data(block, std::move(operation));
        }
        if (states_[block].has_data) meet(block);
        synchronize(block, "signal");
    }

    /// Waits for what was put. settle() combines it, or moves it to its destination, after the last message of the
    /// round.
    void receive(NodeId peer, const std::vector<ChunkRun>& runs, const std::vector<Place>& landed) {
        const std::size_t block = block_of_.at(peer);
        synchronize(block, "wait");
        for (std::size_t i = 0; i < runs.size(); ++i)
            for (std::uint64_t c = 0; c < runs[i].count; ++c)
                touched_[{landed[i].buffer, landed[i].offset + c}] = {now(block), {}};
        for (std::size_t i = 0; i < runs.size(); ++i) {
            ChunkRun run = runs[i];
            run.source = landed[i];
            // A GPU does not need its own input a second time.
            if (run.source != run.destination && run.destination.buffer != 'i') keep(block, run);
        }
    }

    void settle() {
        for (auto& [block, operation] : kept_) add_data(block, std::move(operation));
        kept_.clear();
    }

    /// Throws RequestError beyond the limits of the runtime.
    void require_limits() const {
        for (const auto& [peer, block] : block_of_)
            if (gpu_.blocks[block].size() > operations_max)
                throw RequestError(fmt::format("node {} has {} operations {}; MSCCL++ executes at most {} of a block",
                                               rank_, gpu_.blocks[block].size(),
                                               peer == no_node ? "of its own" : fmt::format("with node {}", peer),
                                               operations_max));
    }

  private:
    /// When a block accessed a slot, in meetings of its threads and of all blocks.
    struct Touch {
        std::size_t block = 0;
        std::size_t meetings = 0;
        std::size_t barriers = 0;
    };
    struct Touched {
        std::optional<Touch> written_by = {};
        std::vector<Touch> read_by = {};  ///< since then, the last of each block
    };
    struct BlockState {
        std::size_t meetings = 0;
        bool has_data = false;  ///< since the last meeting
    };
    enum class Needs : std::uint8_t { nothing, nop, barrier };

    [[nodiscard]] ChunkRef chunks(const Place& at, std::uint64_t count) const {
        return {rank_, at.buffer, at.offset, count};
    }
    [[nodiscard]] Operation local_operation(const ChunkRun& run) const {
        Operation operation{&operation_type(run.folds ? "re" : "copy")};
        if (run.folds) operation.sources.push_back(chunks(run.folded_with, run.count));
        operation.sources.push_back(chunks(run.source, run.count));
        operation.targets.push_back(chunks(run.destination, run.count));
        return operation;
    }

    /// Values of several messages with one destination are combined at once.
    void keep(std::size_t block, const ChunkRun& run) {
        const ChunkRef target = chunks(run.destination, run.count);
        const auto last = std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& each) {
            const ChunkRef& other = each.second.targets.front();
            return other.buffer == target.buffer && other.index < target.index + target.size &&
                   target.index < other.index + other.size;
        });
        const bool joins = run.folds && run.folded_with == run.destination && last != kept_.rend() &&
                           last->second.type->kind == Kind::reduce && last->second.targets.front() == target &&
                           last->second.sources.size() < pairs_max;
        if (joins)
            last->second.sources.push_back(chunks(run.source, run.count));
        else
            kept_.emplace_back(block, local_operation(run));
    }

    [[nodiscard]] Touch now(std::size_t block) const { return {block, states_[block].meetings, barriers_}; }

    void synchronize(std::size_t block, std::string_view name) {
        Operation operation{&operation_type(name)};
        operation.channels.push_back({rank_, false, block});
        gpu_.blocks[block].push_back(std::move(operation));
    }

    void meet(std::size_t block) {
        gpu_.blocks[block].push_back({&operation_type("nop")});
        note_meeting(block);
    }
    void note_meeting(std::size_t block) { states_[block] = {states_[block].meetings + 1, false}; }

    /// Contains a nop.
    void meet_all() {
        for (std::size_t block = 0; block < gpu_.blocks.size(); ++block) {
            std::vector<Operation>& operations = gpu_.blocks[block];
            if (!operations.empty() && operations.back().type->name == "nop") operations.pop_back();
            Operation barrier{&operation_type("barrier")};
            barrier.is_barrier = true;
            barrier.barrier_blocks = gpu_.blocks.size();
            operations.push_back(std::move(barrier));
            note_meeting(block);
        }
        ++barriers_;
    }

    [[nodiscard]] Needs needs(std::size_t block, const Touch& before) const {
        if (before.barriers < barriers_) return Needs::nothing;
        if (before.block != block) return Needs::barrier;
        return before.meetings < states_[block].meetings ? Needs::nothing : Needs::nop;
    }

    [[nodiscard]] Needs needs(std::size_t block, const ChunkRef& chunks, bool writes) const {
        Needs all = Needs::nothing;
        for (std::uint64_t i = 0; i < chunks.size; ++i) {
            const auto found = touched_.find({chunks.buffer, chunks.index + i});
            if (found == touched_.end()) continue;
            if (found->second.written_by) all = std::max(all, needs(block, *found->second.written_by));
            if (!writes) continue;
            for (const Touch& read : found->second.read_by) all = std::max(all, needs(block, read));
        }
        return all;
    }

    /// Targets at other GPUs are not tracked here.
    void add_data(std::size_t block, Operation operation) {
        const bool is_put = operation.type->writes_remote;
        // Before its first put a block must have waited for the peer to begin.
        Needs all = is_put && states_[block].meetings == 0 ? Needs::nop : Needs::nothing;
        for (const ChunkRef& source : operation.sources) all = std::max(all, needs(block, source, false));
        for (const ChunkRef& target : operation.targets)
            if (!is_put) all = std::max(all, needs(block, target, true));
        if (all == Needs::nop) meet(block);
        if (all == Needs::barrier) meet_all();
        for (const ChunkRef& source : operation.sources)
            for (std::uint64_t i = 0; i < source.size; ++i) note_read(source.buffer, source.index + i, now(block));
        for (const ChunkRef& target : operation.targets)
            for (std::uint64_t i = 0; !is_put && i < target.size; ++i)
                touched_[{target.buffer, target.index + i}] = {now(block), {}};
        states_[block].has_data = true;
        gpu_.blocks[block].push_back(std::move(operation));
    }

    void note_read(char buffer, std::uint64_t index, const Touch& read) {
        std::vector<Touch>& all = touched_[{buffer, index}].read_by;
        const auto found = std::ranges::find(all, read.block, &Touch::block);
        if (found == all.end())
            all.push_back(read);
        else
            *found = read;
    }

    Gpu& gpu_;
    NodeId rank_;
    std::map<NodeId, std::size_t> block_of_ = {};  ///< by peer; no_node: what belongs to no message
    std::vector<BlockState> states_ = {};
    std::size_t barriers_ = 0;
    std::map<std::pair<char, std::uint64_t>, Touched> touched_ = {};
    std::vector<std::pair<std::size_t, Operation>> kept_ = {};  ///< until settle(), with their blocks
};

class PlanWriter {
  public:
    PlanWriter(const ToldSchedule& told, std::string_view collective)
        : program_(slots::written_program(told, "an MSCCL++ plan", std::numeric_limits<std::uint64_t>::max())) {
        plan_.collective = collective;
        plan_.own = header_in_words(told);
        plan_.gpus.resize(told.topology->nodes());
        for (NodeId v = 0; v < plan_.gpus.size(); ++v) {
            plan_.gpus[v].inputs = program_.layout.inputs();
            plan_.gpus[v].outputs = program_.layout.outputs();
            plan_.gpus[v].scratch = program_.scratch[v];
            gpus_.emplace_back(plan_.gpus[v], v);
        }
    }

    Plan write() {
        open_blocks();
        for (const bool early : {true, false})
            for (const WrittenAction& action : program_.actions)
                if (copies_input(action) == early) add(action);
        settle();
        for (const GpuBlocks& gpu : gpus_) gpu.require_limits();
        return std::move(plan_);
    }

  private:
    using Kind = WrittenAction::Kind;

    /// Both ends list channels in the same order: there is one between two GPUs.
    void open_blocks() {
        std::vector<std::map<NodeId, std::pair<bool, bool>>> peers(gpus_.size());  // whether they send, receive
        for (const WrittenAction& action : program_.actions) {
            auto& [sends, receives] = peers[action.at][action.peer];
            sends |= action.kind == Kind::send;
            receives |= action.kind == Kind::receive;
        }
        for (NodeId v = 0; v < gpus_.size(); ++v)
            for (const auto& [peer, directions] : peers[v]) gpus_[v].open(peer, directions.first, directions.second);
    }

    /// Whether it copies what a GPU keeps, which depends on nothing.
    static bool copies_input(const WrittenAction& action) {
        return action.peer == no_node && std::ranges::none_of(action.runs, [](const ChunkRun& run) {
                   return run.folds || run.source.buffer != 'i';
               });
    }

    void settle() {
        for (; !receivers_.empty(); receivers_.pop_back()) gpus_[receivers_.back()].settle();
    }

    void add(const WrittenAction& action) {
        GpuBlocks& gpu = gpus_[action.at];
        if (action.kind != Kind::receive) settle();
        if (action.kind == Kind::local) {
            for (const ChunkRun& run : action.runs) gpu.add_local(action.peer, run);
            return;
        }
        std::vector<Place>& landed = landed_[action.message];
        if (action.kind == Kind::send) {
            for (const ChunkRun& run : action.runs) landed.push_back(gpus_[action.peer].landing(run));
            gpu.put(action.peer, action.runs, landed, action.round);
        } else {
            gpu.receive(action.peer, action.runs, landed);
            receivers_.push_back(action.at);
        }
    }

    slots::WrittenProgram program_;
    Plan plan_;
    std::vector<GpuBlocks> gpus_ = {};
    std::vector<NodeId> receivers_ = {};                     ///< of the messages received last
    std::map<std::size_t, std::vector<Place>> landed_ = {};  ///< by message, a place for each of its runs
};

}  // namespace

}  // namespace mscclpp

void write_mscclpp(std::ostream& out, const ToldSchedule& told) {
    const Operation& operation = told.collective.operation;
    const auto found =
        std::ranges::find_if(mscclpp::collectives, [&](const auto& row) { return *row.second == operation; });
    if (found == mscclpp::collectives.end())
        throw RequestError(
            fmt::format("MSCCL++ plans are not written of {}, but of allreduce, allgather, reduce-scatter and "
                        "alltoall; text and JSON are",
                        name(operation)));
    mscclpp::write_plan(out, mscclpp::PlanWriter(told, found->first).write());
}

}  // namespace kport
