/// @file mscclpp_schedule.cpp   MSCCL++ execution plans: judged by the contents of every slot, for every order of
///                              execution.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/foreign_schedule.hpp"
#include "app/files/mscclpp_plan.hpp"
#include "app/files/ranked.hpp"
#include "app/files/slot_program.hpp"
#include "app/files/whole_text.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace mscclpp {

namespace {

const kport::Operation* operation_of(std::string_view collective) {
    const auto found = std::ranges::find(collectives, collective, [](const auto& row) { return row.first; });
    return found == collectives.end() ? nullptr : found->second;
}

class PlanSchedule {
  public:
    PlanSchedule(std::istream& in, const std::string& name, const ScheduleContext& context)
        : what_(fmt::format("schedule {}", quoted(name))), plan_(read_plan(json_in(in, what_), what_)),
          context_(context) {}

    ToldSchedule read() {
        const kport::Operation* const named = operation_of(plan_.collective);
        std::vector<std::string> words = plan_.own;
        if (named != nullptr) words.insert(words.begin(), std::string(name(*named)));
        told_ = told_of_ranks(ranks(), words, context_, refuse_);
        ForeignJudgement& judgement = told_.judgement;
        told_.remarks.insert(told_.remarks.end(), plan_.notes.begin(), plan_.notes.end());
        if (context_.operation && (named == nullptr || *named != *context_.operation))
            told_.remarks.push_back(fmt::format("the plan says collective {}; judged: {}", quoted(plan_.collective),
                                                name(*context_.operation)));
        settle_promise();
        const slots::Layout layout = settle_layout(named);
        require_inside(layout);
        if (plan_.unjudged.empty()) {
            judge(layout);
        } else {
            told_.collective = Collective::none();
            judgement.not_judged.push_back(
                {"order, races and delivery",
                 fmt::format("the plan has {}, which kport does not follow", fmt::join(plan_.unjudged, ", "))});
        }
        return std::move(told_);
    }

  private:
    [[nodiscard]] NodeId ranks() const { return plan_.gpus.size(); }
    [[noreturn]] void refuse(const std::string& why) const { throw RequestError(fmt::format("{}: {}", what_, why)); }

    void settle_promise() {
        std::vector<NotJudged>& not_judged = told_.judgement.not_judged;
        if (!not_judged.empty()) {
            not_judged.front().why = fmt::format(
                "the plan's collective {} is none of allreduce, allgather, reducescatter and "
                "alltoall; name the operation behind the file, or say none",
                quoted(plan_.collective));
        } else if (told_.collective.promises() && !slots::Layout::exists_for(told_.collective.operation)) {
            not_judged.push_back(
                {"delivery", fmt::format("MSCCL++ has no buffers for {}", name(told_.collective.operation))});
            told_.collective = Collective::none();
        }
    }

    slots::Layout settle_layout(const kport::Operation* named) {
        if (named != nullptr) require_counts(layout_of(Collective::of(*named, 0, context_.packet_bytes)));
        if (told_.collective.promises()) {
            const slots::Layout layout = layout_of(told_.collective);
            told_.collective = layout.collective();
            return layout;
        }
        if (named == nullptr) return {};
        return layout_of(Collective::of(*named, 0, context_.packet_bytes)).without_promise();
    }

    [[nodiscard]] slots::Layout layout_of(Collective collective) const {
        const std::uint64_t vector = vector_of(collective.operation);
        const bool shares = slots::Layout::has_shares(collective.operation);
        if (vector == 0 || (shares && vector % ranks() != 0))
            refuse(fmt::format("{} of {}; {} has as many for each rank", counted(vector, "chunk"),
                               counted(ranks(), "GPU"), name(collective.operation)));
        collective.packets_each = shares ? vector / ranks() : vector;
        require_valid(collective, *told_.topology);
        return {collective, ranks(), vector, plan_.in_place};
    }

    /// Returns the chunks of the buffer with everyone's data: computed from a rank's share if a buffer is one.
    [[nodiscard]] std::uint64_t vector_of(const kport::Operation& operation) const {
        std::uint64_t inputs = 0;
        std::uint64_t outputs = 0;
        for (const Gpu& gpu : plan_.gpus) {
            inputs = std::max(inputs, gpu.inputs);
            outputs = std::max(outputs, gpu.outputs);
        }
        const bool gathers = operation == kport::Operation::allgather || operation == kport::Operation::gather;
        const bool scatters = operation == kport::Operation::reduce_scatter || operation == kport::Operation::scatter;
        const std::uint64_t share = gathers ? inputs : scatters ? outputs : 0;
        if (share != 0) return share * ranks();
        const std::uint64_t whole = gathers ? outputs : inputs;
        return whole != 0 ? whole : std::max(inputs, outputs);
    }

    void require_counts(const slots::Layout& layout) const {
        const auto require = [&](NodeId rank, std::string_view which, std::uint64_t is, std::uint64_t want) {
            if (is != 0 && is != want)
                refuse(fmt::format("gpus[{}].{} is {}; {} of {} has {}", rank, which, is,
                                   name(layout.collective().operation), counted(ranks(), "GPU"), want));
        };
        for (NodeId rank = 0; rank < ranks(); ++rank) {
            require(rank, "input_chunks", plan_.gpus[rank].inputs, layout.inputs());
            require(rank, "output_chunks", plan_.gpus[rank].outputs, layout.outputs());
        }
    }

    /// In place the smaller buffer is inside the larger one, which no chunk may leave.
    void require_inside(const slots::Layout& layout) const {
        const std::uint64_t size = std::max(layout.inputs(), layout.outputs());
        if (!plan_.in_place || size == 0) return;
        for (NodeId rank = 0; rank < ranks(); ++rank)
            for (std::size_t b = 0; b < plan_.gpus[rank].blocks.size(); ++b)
                for (std::size_t k = 0; k < plan_.gpus[rank].blocks[b].size(); ++k)
                    for (const auto* chunks :
                         {&plan_.gpus[rank].blocks[b][k].sources, &plan_.gpus[rank].blocks[b][k].targets})
                        for (const ChunkRef& chunk : *chunks) {
                            const slots::Slot last =
                                layout.slot(chunk.buffer, chunk.rank, chunk.index + chunk.size - 1);
                            if (chunk.buffer != 's' && slots::chunk_of(last) >= size)
                                refuse(fmt::format(
                                    "gpus[{}].threadblocks[{}].ops[{}]: {}[{}] of GPU {} is {} in place, which has {}",
                                    rank, b, k, chunk.buffer, chunk.index + chunk.size - 1, chunk.rank,
                                    slots::slot_name(last), counted(size, "chunk")));
                        }
    }

    void judge(const slots::Layout& layout) {
        BuiltProgram built = build_program(plan_, layout);
        const auto order = slots::order_of(built.program, std::move(built.findings), told_);
        if (!order) return;
        const slots::SlotJudgement judged =
            slots::judge(built.program, layout, *order, {[&](EventId first, EventId second) {
                             return Repair{{}, missing_synchronization(built, first, second)};
                         }});
        told_.judgement.findings = judged.findings;
        slots::note_judged(told_, layout.promises());
        std::vector<Round> rounds = std::move(built.rounds);
        if (std::ranges::find(rounds, Round{0}) != rounds.end()) rounds.clear();
        slots::add_transfers(told_, {built.program, judged, layout, *order}, std::move(rounds), context_, refuse_);
    }

    std::string what_;
    Plan plan_;
    const ScheduleContext& context_;
    const Refuse refuse_ = [this](const std::string& why) { refuse(why); };
    ToldSchedule told_;
};

}  // namespace

}  // namespace mscclpp

bool begins_mscclpp(std::string_view head) {
    const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
    return head.starts_with('{') && has("\"gpus\"") &&
           (has("\"threadblocks\"") || has("\"input_chunks\"") || has("\"inputChunks\""));
}

ToldSchedule read_mscclpp(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return mscclpp::PlanSchedule(in, name, context).read();
}

}  // namespace kport
