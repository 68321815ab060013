#include "app/files/msccl_program.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/files/fault_list.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::msccl {

namespace {

using slots::Move;
using slots::Receipt;
using slots::Slot;

/// Sender, receiver and channel; the n-th send matches the n-th receive.
using Connection = std::tuple<NodeId, NodeId, std::uint64_t>;
struct Ends {
    std::vector<EventId> sends = {};
    std::vector<EventId> receives = {};
};

class Builder {
  public:
    Builder(const Algorithm& algorithm, const slots::Layout& layout) : algorithm_(algorithm), layout_(layout) {}

    BuiltProgram build() {
        for (NodeId rank = 0; rank < algorithm_.gpus.size(); ++rank)
            for (const Block& block : algorithm_.gpus[rank].blocks) add_block(rank, block);
        for (NodeId rank = 0; rank < algorithm_.gpus.size(); ++rank)
            for (const Block& block : algorithm_.gpus[rank].blocks)
                for (std::size_t i = 0; i < block.steps.size(); ++i)
                    if (block.steps[i].waits()) add_dependence(rank, block.steps[i], event_of(rank, block.id, i));
        for (const auto& [connection, ends] : connections_) match(connection, ends);
        for (EventId event = 0; event < built_.steps.size(); ++event) add_move(event);
        built_.findings = faults_.take();
        return std::move(built_);
    }

  private:
    slots::SlotProgram& program() { return built_.program; }

    static std::string what(const Step& step, const Block& block) {
        if (step.type->receives && step.type->sends)
            return fmt::format("{} from {} to {}", step.type->name, block.receive, block.send);
        if (step.type->receives) return fmt::format("{} from {}", step.type->name, block.receive);
        if (step.type->sends) return fmt::format("{} to {}", step.type->name, block.send);
        return std::string(step.type->name);
    }

    void add_block(NodeId rank, const Block& block) {
        first_event_[{rank, block.id}] = program().graph.size();
        for (std::size_t i = 0; i < block.steps.size(); ++i) {
            const Step& step = block.steps[i];
            const EventId event = program().add(
                {rank, static_cast<std::uint32_t>(block.id), static_cast<std::uint32_t>(i), what(step, block)});
            built_.steps.push_back(&step);
            if (i > 0) program().graph.order(event - 1, event, Before::in_program);
            if (step.type->sends) connections_[{rank, block.send, block.channel}].sends.push_back(event);
            if (step.type->receives) connections_[{block.receive, rank, block.channel}].receives.push_back(event);
        }
    }

    [[nodiscard]] EventId event_of(NodeId rank, std::uint64_t block, std::size_t step) const {
        return first_event_.at({rank, block}) + static_cast<EventId>(step);
    }

    /// The runtime publishes the end of a step only with the next step of its block that has hasdep="1".
    void add_dependence(NodeId rank, const Step& step, EventId event) {
        const auto block = static_cast<std::size_t>(step.after_block);
        const std::vector<Step>& steps = algorithm_.gpus[rank].blocks[block].steps;
        const auto told =
            std::find_if(steps.begin() + step.after_step, steps.end(), [](const Step& each) { return each.awaited; });
        if (told != steps.end()) {
            program().graph.order(event_of(rank, block, static_cast<std::size_t>(told - steps.begin())), event,
                                  Before::awaited);
            return;
        }
        faults_.add(
            ScheduleFault::deadlock,
            fmt::format("{} waits for ever: no step of block {} from step {} on has hasdep=\"1\"; step {} needs it",
                        program().graph.name_of(event), block, step.after_step, step.after_step),
            {publishing_at_once(rank, step, steps)});
    }

    void match(const Connection& connection, const Ends& ends) {
        const auto& [from, to, channel] = connection;
        const std::size_t matched = std::min(ends.sends.size(), ends.receives.size());
        for (std::size_t i = 0; i < matched; ++i) add_message(from, to, ends.sends[i], ends.receives[i]);
        if (ends.sends.size() == ends.receives.size()) return;
        const bool sends_more = ends.sends.size() > matched;
        const EventId lonely = sends_more ? ends.sends[matched] : ends.receives[matched];
        faults_.add(ScheduleFault::unmatched,
                    fmt::format("{} has no partner: GPU {} sends {} to GPU {} on channel {}, which receives {}{}",
                                program().graph.name_of(lonely), from, counted(ends.sends.size(), "message"), to,
                                channel, ends.receives.size(), on_other_channel(connection, sends_more)));
    }

    /// Names another channel between them that lacks what this one has too much of.
    [[nodiscard]] std::string on_other_channel(const Connection& connection, bool sends_more) const {
        const auto& [from, to, channel] = connection;
        for (auto at = connections_.lower_bound({from, to, 0});
             at != connections_.end() && std::get<0>(at->first) == from && std::get<1>(at->first) == to; ++at) {
            const std::size_t sends = at->second.sends.size();
            const std::size_t receives = at->second.receives.size();
            if (sends_more ? receives > sends : sends > receives)
                return fmt::format("; channel {} has a {} without a partner", std::get<2>(at->first),
                                   sends_more ? "receive" : "send");
        }
        return "";
    }

    void add_message(NodeId from, NodeId to, EventId send, EventId receive) {
        const std::uint64_t sent = built_.steps[send]->count;
        const std::uint64_t received = built_.steps[receive]->count;
        if (sent != received)
            faults_.add(ScheduleFault::count,
                        fmt::format("{} sends {}, {} receives {}; want the same cnt", program().graph.name_of(send),
                                    counted(sent, "chunk"), program().graph.name_of(receive), received));
        program().graph.order(send, receive, Before::awaited);
        const auto message = static_cast<std::uint32_t>(program().messages.size());
        program().messages.push_back({from, to, send});
        sent_as_[send] = {message, chunks_sent_};
        came_as_[receive] = {message, chunks_sent_};
        chunks_sent_ += std::max(sent, received);
    }

    void add_move(EventId event) {
        const Step& step = *built_.steps[event];
        const NodeId rank = program().graph.at(event).rank;
        if (!step.type->moves()) return;
        Move move;
        move.count = step.count;
        const Slot source = layout_.slot(step.source.buffer, rank, step.source.offset);
        const Slot destination = layout_.slot(step.destination.buffer, rank, step.destination.offset);
        if (step.type->receives) {
            const auto came = came_as_.find(event);
            if (came == came_as_.end()) return;
            move.sources.push_back(slots::slot_at('m', 0, came->second.first_chunk));
            move.receipts.push_back({came->second.message, 0, step.type->reduces});
        }
        if (step.type->reads_source()) move.sources.push_back(source);
        if (step.type->reduces && !step.type->receives) move.sources.push_back(destination);
        if (step.type->copies) move.targets.push_back(destination);
        if (step.type->sends) {
            const auto sent = sent_as_.find(event);
            if (sent == sent_as_.end()) return;
            move.targets.push_back(slots::slot_at('m', 0, sent->second.first_chunk));
        }
        program().moves[event].push_back(std::move(move));
    }

    struct OnItsWay {
        std::uint32_t message = 0;
        std::uint64_t first_chunk = 0;  ///< of buffer m
    };

    const Algorithm& algorithm_;
    const slots::Layout& layout_;
    BuiltProgram built_;
    FaultList faults_;
    std::map<std::pair<NodeId, std::uint64_t>, EventId> first_event_;  ///< by rank and block
    std::map<Connection, Ends> connections_;
    std::map<EventId, OnItsWay> sent_as_;
    std::map<EventId, OnItsWay> came_as_;
    std::uint64_t chunks_sent_ = 0;
};

}  // namespace

BuiltProgram build_program(const Algorithm& algorithm, const slots::Layout& layout) {
    return Builder(algorithm, layout).build();
}

}  // namespace kport::msccl
