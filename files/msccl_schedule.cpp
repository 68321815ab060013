/// @file msccl_schedule.cpp   Schedules in MSCCL's XML: the steps are followed, chunk by chunk, until messages and packets are known.
#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "files/foreign_schedule.hpp"
#include "files/msccl_text.hpp"
#include "files/ranked.hpp"
#include "files/transfer_words.hpp"

namespace kport {

namespace {

/// What the chunks of a message are: each a packet, or the contributions that are folded into it.
using ChunkValues = std::vector<PacketSet>;

/// Which chunk stands where at the start, and what stands there later.
class Buffers {
  public:
    Buffers(const msccl::Algorithm& algorithm, const Collective& collective, NodeId ranks)
        : in_place_(algorithm.in_place), gathers_(algorithm.collective == "allgather"),
          scatters_(algorithm.collective == "reduce_scatter"), share_(algorithm.chunks / ranks) {
        for (NodeId v = 0; v < ranks; ++v) {
            std::uint64_t offset = 0;
            const PacketSet owned = collective.owned(v, ranks);
            for (const PacketBlock& block : owned.blocks())
                for (std::uint32_t column = 0; column < block.count; ++column)  // target by target
                    for (std::uint32_t row = 0; row < block.rows; ++row)
                        at(v, {'i', offset++}) = PacketBlock{block.columns()[column], 1, 1, block.all_rows()[row]};
        }
    }

    PacketSet& at(NodeId v, msccl::Place place) {
        const bool input = place.buffer == 'i';
        if (in_place_ && place.buffer != 's')
            place = {'o', place.offset + ((input ? gathers_ : scatters_) ? v * share_ : 0)};
        return chunks_[{v, place.buffer, place.offset}];
    }

  private:
    bool in_place_;
    bool gathers_;
    bool scatters_;
    std::uint64_t share_;  ///< chunks of a rank, where the buffers hold as many of each
    std::map<std::tuple<NodeId, char, std::uint64_t>, PacketSet> chunks_;
};

/// A block as far as it has gone.
struct Running {
    NodeId rank = 0;
    const msccl::Block* block = nullptr;
    std::size_t done = 0;
    std::vector<std::uint32_t> before = {};  ///< messages that come before the next send
    std::map<std::size_t, std::vector<std::uint32_t>> before_after =
        {};                                 ///< the same behind steps that others wait for
    std::vector<std::size_t> waiting = {};  ///< blocks that wait for one of its steps

    [[nodiscard]] const msccl::Step& next() const { return block->steps[done]; }
};

class MscclReader {
  public:
    MscclReader(std::istream& in, const std::string& name, const ScheduleContext& context)
        : text_(in, name, "schedule"), algorithm_(msccl::read_algorithm(text_)), context_(context) {}

    ToldSchedule read() {
        std::vector<std::string> words = algorithm_.own;
        words.push_back(algorithm_.collective);  // where nothing else names the operation
        std::ranges::replace(words.back(), '_', '-');
        told_ = told_of_ranks(ranks(), words, context_, refuse_);
        settle_packets();
        buffers_.emplace(algorithm_, told_.collective, ranks());
        connect();
        run();
        put_together();
        return std::move(told_);
    }

  private:
    /// By sender, receiver and channel.
    using Connection = std::tuple<NodeId, NodeId, std::uint64_t>;
    struct Wire {
        std::deque<std::uint32_t> under_way = {};  ///< messages, first in, first out
        std::optional<std::size_t> receiver = {};  ///< a block
    };

    [[nodiscard]] NodeId ranks() const { return algorithm_.gpus.size(); }
    [[noreturn]] void refuse(const msccl::Step& step, const std::string& why) const { text_.refuse(step.at, why); }

    /// How many packets each has follows from the chunks.
    void settle_packets() {
        Collective& collective = told_.collective;
        if (!collective.promises()) {
            if (told_.lacks_promise) told_.judgement.not_judged.push_back({"delivery", no_operation_named});
            return;
        }
        std::uint64_t chunks = algorithm_.chunks;
        if (algorithm_.collective == "custom")
            for (const msccl::Gpu& gpu : algorithm_.gpus) chunks = std::max({chunks, gpu.inputs, gpu.outputs});
        const bool of_all = collective.operation->carries == Carries::packets;  // a chunk for each rank
        if (chunks == 0 || (of_all && chunks % ranks() != 0))
            text_.refuse(fmt::format("{} chunks of {}; {} has as many for each rank", chunks, counted(ranks(), "rank"),
                                     name(collective.operation)));
        collective.packets_each = of_all ? chunks / ranks() : chunks;
        require_valid(collective, *told_.topology);
        told_.remarks.emplace_back("what arrives is judged, not where in the output it stands");
    }

    void connect() {
        for (NodeId v = 0; v < ranks(); ++v)
            for (const msccl::Block& block : algorithm_.gpus[v].blocks) {
                block_at_[{v, block.id}] = running_.size();
                if (block.receive != no_node) wires_[{block.receive, v, block.channel}].receiver = running_.size();
                running_.push_back({v, &block});
            }
        for (const Running& block : running_)
            for (const msccl::Step& step : block.block->steps)
                if (step.after_block >= 0) require_awaited(block.rank, step);
    }

    /// The runtime tells of a step only where it or a later one of its block is marked.
    void require_awaited(NodeId rank, const msccl::Step& step) {
        const auto found = block_at_.find({rank, static_cast<std::uint64_t>(step.after_block)});
        if (found == block_at_.end())
            refuse(step, fmt::format("depid {}: GPU {} has no such block", step.after_block, rank));
        const std::vector<msccl::Step>& steps = running_[found->second].block->steps;
        const auto wanted = static_cast<std::size_t>(step.after_step);
        if (wanted >= steps.size())
            refuse(step, fmt::format("deps {}: block {} has {}", step.after_step, step.after_block,
                                     counted(steps.size(), "step")));
        if (std::none_of(steps.begin() + step.after_step, steps.end(),
                         [](const msccl::Step& each) { return each.awaited; }))
            refuse(step,
                   fmt::format("waits for ever: step {} of block {} has hasdep=\"0\", and so have those behind it",
                               step.after_step, step.after_block));
        running_[found->second].before_after[wanted];
    }

    /// Each block goes on until it waits for a message or for another block's step.
    void run() {
        std::deque<std::size_t> ready(running_.size());
        for (std::size_t i = 0; i < running_.size(); ++i) ready[i] = i;
        while (!ready.empty()) {
            const std::size_t i = ready.front();
            ready.pop_front();
            while (running_[i].done < running_[i].block->steps.size() && advance(i, ready)) {
            }
        }
        for (const Running& block : running_)
            if (block.done < block.block->steps.size())
                refuse(block.next(), fmt::format("GPU {} waits here for ever", block.rank));
        for (const auto& [connection, wire] : wires_)
            if (!wire.under_way.empty())
                refuse(*sends_[wire.under_way.front()], fmt::format("GPU {} never receives what GPU {} sends here",
                                                                    std::get<1>(connection), std::get<0>(connection)));
    }

    /// The next step of a block; false where it has to wait.
    bool advance(std::size_t i, std::deque<std::size_t>& ready) {
        Running& block = running_[i];
        const msccl::Step& step = block.next();
        if (step.after_block >= 0) {
            Running& other = running_[block_at_.at({block.rank, static_cast<std::uint64_t>(step.after_block)})];
            if (other.done <= static_cast<std::size_t>(step.after_step)) {
                other.waiting.push_back(i);
                return false;
            }
        }
        Wire* const in =
            step.type->receives ? &wires_[{block.block->receive, block.rank, block.block->channel}] : nullptr;
        if (in != nullptr && in->under_way.empty()) return false;
        if (step.after_block >= 0) {
            const Running& other = running_[block_at_.at({block.rank, static_cast<std::uint64_t>(step.after_block)})];
            const auto& more = other.before_after.at(static_cast<std::size_t>(step.after_step));
            block.before.insert(block.before.end(), more.begin(), more.end());
        }
        ChunkValues chunks = in != nullptr ? received(block, step, *in) : read_chunks(block, step);
        if (step.type->reduces) fold(block, step, chunks);
        if (step.type->copies) store(block, step, chunks);
        if (step.type->sends) send(block, step, std::move(chunks), ready);
        if (const auto asked = block.before_after.find(block.done); asked != block.before_after.end())
            asked->second = block.before;
        ++block.done;
        ready.insert(ready.end(), block.waiting.begin(), block.waiting.end());
        block.waiting.clear();
        return true;
    }

    ChunkValues received(Running& block, const msccl::Step& step, Wire& in) {
        const std::uint32_t message = in.under_way.front();
        in.under_way.pop_front();
        if (carried_[message].size() != step.count)
            refuse(step, fmt::format("{} chunks are received, and {} were sent", step.count, carried_[message].size()));
        block.before.push_back(message);
        // A result that is handed out is a packet of its own.
        if (told_.collective.folds() && !told_.collective.inwards() && !step.type->reduces)
            for (PacketSet& chunk : carried_[message])
                if (columns_of(chunk.blocks()).size() == ranks())
                    chunk = result_packets(ranks(), {rows_of(chunk.blocks()).blocks().front().first});
        return carried_[message];
    }

    ChunkValues read_chunks(const Running& block, const msccl::Step& step) {
        ChunkValues chunks(step.count);
        if (!told_.collective.promises()) return chunks;
        for (std::uint64_t i = 0; i < step.count; ++i) {
            chunks[i] = buffers_->at(block.rank, {step.source.buffer, step.source.offset + i});
            if (chunks[i].empty())
                refuse(step, fmt::format("chunk {} of buffer {} is used, and nothing stands there",
                                         step.source.offset + i, step.source.buffer));
        }
        return chunks;
    }

    /// What came, with what stands at the source; of a local step what stands there, with what stands at the destination.
    void fold(const Running& block, const msccl::Step& step, ChunkValues& chunks) {
        if (!told_.collective.promises()) return;
        if (!told_.collective.folds())
            refuse(step, fmt::format("a step that reduces, and {} does not", name(told_.collective.operation)));
        const msccl::Place& with = step.type->receives ? step.source : step.destination;
        for (std::uint64_t i = 0; i < step.count; ++i)
            chunks[i].include(buffers_->at(block.rank, {with.buffer, with.offset + i}));
    }

    void store(const Running& block, const msccl::Step& step, const ChunkValues& chunks) {
        if (!told_.collective.promises()) return;
        for (std::uint64_t i = 0; i < step.count; ++i)
            buffers_->at(block.rank, {step.destination.buffer, step.destination.offset + i}) = chunks[i];
    }

    void send(Running& block, const msccl::Step& step, ChunkValues chunks, std::deque<std::size_t>& ready) {
        const NodeId to = block.block->send;
        Wire& wire = wires_[{block.rank, to, block.block->channel}];
        if (!wire.receiver) refuse(step, fmt::format("GPU {} has no block that receives from GPU {}", to, block.rank));
        const auto message = static_cast<std::uint32_t>(messages_.size());
        std::ranges::sort(block.before);
        block.before.erase(std::unique(block.before.begin(), block.before.end()), block.before.end());
        messages_.push_back({block.rank, to, route_between(*told_.topology, block.rank, to), {}, block.before});
        block.before = {message};
        carried_.push_back(std::move(chunks));
        sends_.push_back(&step);
        wire.under_way.push_back(message);
        ready.push_back(*wire.receiver);
    }

    void put_together() {
        const bool own_rounds =
            !sends_.empty() && std::ranges::all_of(sends_, [](const msccl::Step* s) { return s->round != 0; });
        std::vector<Round> rounds;
        if (own_rounds)
            std::ranges::transform(sends_, std::back_inserter(rounds),
                                   [](const msccl::Step* step) { return step->round; });
        else
            rounds = earliest_rounds_for(told_, messages_, context_, refuse_);
        std::vector<std::uint32_t> order = in_order_of(rounds, messages_);
        if (own_rounds)
            std::ranges::stable_sort(
                order, {}, [&](std::uint32_t i) { return std::tuple(rounds[i], messages_[i].from, messages_[i].to); });
        for (std::size_t i = 0; i < order.size(); ++i) {
            const LooseMessage& message = messages_[order[i]];
            PacketSet packets;
            std::uint64_t chunks = 0;
            const auto add = [&](std::uint32_t number) {
                for (const PacketSet& chunk : carried_[number]) packets.include(chunk);
                chunks += carried_[number].size();
            };
            add(order[i]);
            // Where the rounds are known, steps between two ranks in one round are one message.
            const auto goes_on = [&](std::uint32_t next) {
                return own_rounds && rounds[next] == rounds[order[i]] && messages_[next].from == message.from &&
                       messages_[next].to == message.to;
            };
            const Round round = rounds[order[i]];
            while (i + 1 < order.size() && goes_on(order[i + 1])) add(order[++i]);
            if (!told_.collective.promises()) packets = contents_packets(bytes_of(chunks));
            if (packets.empty()) refuse(*sends_[order[i]], "a message of no chunks; want at least one");
            told_.schedule.add(round, {message.from, message.to, message.route, packets.blocks()});
        }
    }

    [[nodiscard]] std::uint64_t bytes_of(std::uint64_t chunks) const {
        return std::min(chunks * std::min(context_.packet_bytes, contents_bytes_max), contents_bytes_max);
    }

    TextSource text_;
    msccl::Algorithm algorithm_;
    const ScheduleContext& context_;
    const Refuse refuse_ = [this](const std::string& why) { text_.refuse(why); };
    ToldSchedule told_;
    std::optional<Buffers> buffers_;
    std::vector<Running> running_;
    std::map<std::pair<NodeId, std::uint64_t>, std::size_t> block_at_;
    std::map<Connection, Wire> wires_;
    std::vector<LooseMessage> messages_;
    std::vector<ChunkValues> carried_;       ///< of each message
    std::vector<const msccl::Step*> sends_;  ///< the step that sends it
};

}  // namespace

bool begins_msccl(std::string_view head) {
    return head.starts_with('<') && head.find("<algo") != std::string_view::npos;
}

ToldSchedule read_msccl(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return MscclReader(in, name, context).read();
}

}  // namespace kport
