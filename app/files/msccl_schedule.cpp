/// @file msccl_schedule.cpp   Schedules in MSCCL's XML: judged by the contents of every slot, for every order of
///                            execution.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/fault_list.hpp"
#include "app/files/foreign_schedule.hpp"
#include "app/files/msccl_program.hpp"
#include "app/files/msccl_text.hpp"
#include "app/files/ranked.hpp"
#include "app/files/slot_program.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace msccl {

namespace {

/// A value of `coll`, and the operation that it names; null: unknown to kport, or none.
struct CollectiveName {
    std::string_view word;
    const Operation* operation;
};
constexpr std::array<CollectiveName, 15> collective_names{{{"allreduce", &Operation::allreduce},
                                                           {"allgather", &Operation::allgather},
                                                           {"alltoall", &Operation::alltoall},
                                                           {"broadcast", &Operation::broadcast},
                                                           {"reduce", &Operation::reduce},
                                                           {"reduce_scatter", &Operation::reduce_scatter},
                                                           {"reducescatter", &Operation::reduce_scatter},
                                                           {"reduce-scatter", &Operation::reduce_scatter},
                                                           {"gather", &Operation::gather},
                                                           {"scatter", &Operation::scatter},
                                                           {"custom", nullptr},
                                                           {"alltoallv", nullptr},
                                                           {"send", nullptr},
                                                           {"recv", nullptr},
                                                           {"sendrecv", nullptr}}};

class ScheduleReader {
  public:
    ScheduleReader(std::istream& in, const std::string& name, const ScheduleContext& context)
        : text_(in, name, "schedule"), algorithm_(read_algorithm(text_)), context_(context) {}

    ToldSchedule read() {
        const Operation* const named = operation_of_file();
        std::vector<std::string> words = algorithm_.own;
        if (named != nullptr) words.insert(words.begin(), std::string(name(*named)));
        told_ = told_of_ranks(ranks(), words, context_, refuse_);
        told_.remarks.insert(told_.remarks.end(), algorithm_.notes.begin(), algorithm_.notes.end());
        if (context_.operation && (named == nullptr || *named != *context_.operation))
            told_.remarks.push_back(fmt::format("the file says coll={}; judged: {}", quoted(algorithm_.collective),
                                                name(*context_.operation)));
        if (told_.collective.rooted() && !context_.root && algorithm_.own.empty())
            told_.remarks.emplace_back("the root, which the file does not name, is GPU 0; --root names another");
        settle_promise();
        judge(settle_layouts(named));
        return std::move(told_);
    }

  private:
    [[nodiscard]] NodeId ranks() const { return algorithm_.gpus.size(); }

    /// Returns null if it names no operation that kport has.
    [[nodiscard]] const Operation* operation_of_file() const {
        const auto found = std::ranges::find(collective_names, algorithm_.collective, &CollectiveName::word);
        if (found != collective_names.end()) return found->operation;
        if (context_.operation) return nullptr;
        std::vector<std::string_view> words;
        for (const CollectiveName& one : collective_names) words.push_back(one.word);
        text_.refuse(algorithm_.at, fmt::format("<algo coll={}>, a name that no loader knows{}; want one of {}",
                                                quoted(algorithm_.collective),
                                                did_you_mean(algorithm_.collective, words), fmt::join(words, ", ")));
    }

    void settle_promise() {
        std::vector<NotJudged>& not_judged = told_.judgement.not_judged;
        if (!not_judged.empty()) {
            const std::string why = algorithm_.collective == "custom"
                                        ? "coll=\"custom\" names no operation"
                                        : fmt::format("kport does not have {}", quoted(algorithm_.collective));
            not_judged.front().why = fmt::format("{}; name it behind the file, or say none", why);
        } else if (told_.collective.promises() && !slots::Layout::exists_for(told_.collective.operation)) {
            not_judged.push_back(
                {"delivery", fmt::format("MSCCL has no buffers for {}", name(told_.collective.operation))});
            told_.collective = Collective::none();
        }
    }

    /// Returns a layout for each way in which the file is used.
    std::vector<slots::Layout> settle_layouts(const Operation* named) {
        if (named != nullptr) require_counts(layout_of(Collective::of(*named, 0, context_.packet_bytes), false));
        const bool promises = told_.collective.promises();
        if (!promises && named == nullptr) return {slots::Layout()};
        const Collective collective = promises ? told_.collective : Collective::of(*named, 0, context_.packet_bytes);
        std::vector<slots::Layout> layouts;
        if (algorithm_.out_of_place) layouts.push_back(layout_of(collective, false));
        if (algorithm_.in_place) {
            layouts.push_back(layout_of(collective, true));
            require_inside(layouts.back());
        }
        if (promises)
            told_.collective = layouts.front().collective();
        else
            for (slots::Layout& layout : layouts) layout = layout.without_promise();
        return layouts;
    }

    [[nodiscard]] slots::Layout layout_of(Collective collective, bool in_place) const {
        const std::uint64_t vector = vector_of(collective.operation);
        const bool shares = slots::Layout::has_shares(collective.operation);
        if (shares && vector % ranks() != 0)
            text_.refuse(algorithm_.at, fmt::format("{} of {}; {} has as many for each rank", counted(vector, "chunk"),
                                                    counted(ranks(), "rank"), name(collective.operation)));
        collective.packets_each = shares ? vector / ranks() : vector;
        require_valid(collective, *told_.topology);
        return {collective, ranks(), vector, in_place};
    }

    /// Returns the chunks of the buffer with everyone's data. For gather and scatter RCCL only gives the sizes of the
    /// buffers.
    [[nodiscard]] std::uint64_t vector_of(const Operation& operation) const {
        const bool by_buffers = (operation == Operation::gather && algorithm_.collective == "gather") ||
                                (operation == Operation::scatter && algorithm_.collective == "scatter");
        if (!by_buffers) return algorithm_.chunks;
        std::uint64_t inputs = 0;
        std::uint64_t outputs = 0;
        for (const Gpu& gpu : algorithm_.gpus) {
            inputs = std::max(inputs, gpu.inputs);
            outputs = std::max(outputs, gpu.outputs);
        }
        const std::uint64_t all = std::max(inputs, outputs);
        const std::uint64_t share = std::min(inputs, outputs);
        return share == 0 ? std::max<std::uint64_t>(all, 1) : share * ranks();
    }

    /// Checks the counts of the collective that the file names, whatever it is judged as.
    void require_counts(const slots::Layout& layout) const {
        const auto require = [&](const Gpu& gpu, std::string_view which, std::uint64_t is, std::uint64_t want) {
            if (is != 0 && is != want)
                text_.refuse(gpu.at, fmt::format("{}=\"{}\"; {} with nchunksperloop=\"{}\" of {} has {}", which, is,
                                                 name(layout.collective().operation), algorithm_.chunks,
                                                 counted(ranks(), "GPU"), want));
        };
        for (const Gpu& gpu : algorithm_.gpus) {
            require(gpu, "i_chunks", gpu.inputs, layout.inputs());
            require(gpu, "o_chunks", gpu.outputs, layout.outputs());
        }
    }

    /// In place the smaller buffer is inside the larger one, which no chunk may leave.
    void require_inside(const slots::Layout& layout) const {
        const std::uint64_t size = std::max(layout.inputs(), layout.outputs());
        for (NodeId rank = 0; rank < ranks(); ++rank)
            for (const Block& block : algorithm_.gpus[rank].blocks)
                for (const Step& step : block.steps)
                    for (const auto& [place, is_used] : {std::pair(step.source, step.type->reads_source()),
                                                         std::pair(step.destination, step.type->copies)}) {
                        if (place.buffer == 's' || !is_used) continue;
                        const slots::Slot last = layout.slot(place.buffer, rank, place.offset + step.count - 1);
                        if (slots::chunk_of(last) >= size)
                            text_.refuse(step.at, fmt::format("{}[{}] of GPU {} is {} in place, which has {}",
                                                              place.buffer, place.offset + step.count - 1, rank,
                                                              slots::slot_name(last), counted(size, "chunk")));
                    }
    }
    void judge(const std::vector<slots::Layout>& layouts) {
        BuiltProgram built = build_program(algorithm_, layouts.back());
        const auto order = slots::order_of(
            built.program, std::move(built.findings), told_,
            [&](const std::vector<Precedence::Edge>& cycle) { return repairs_of_cycle(algorithm_, built, cycle); });
        if (!order) return;
        slots::SlotJudgement judged;
        for (std::size_t i = layouts.size(); i-- > 0;) {
            if (i + 1 != layouts.size()) built = build_program(algorithm_, layouts[i]);
            judged = slots::judge(
                built.program, layouts[i], *order,
                {[&](EventId first, EventId second) { return missing_dependence(algorithm_, built, first, second); },
                 [&](const slots::WantedCopy& copy) { return missing_copy(algorithm_, built, copy); }});
            for (FoundFault& found : judged.findings) {
                if (layouts.size() > 1) found.text.insert(0, i == 0 ? "out of place: " : "in place: ");
                told_.judgement.findings.push_back(std::move(found));
            }
        }
        slots::note_judged(told_, layouts.front().promises());
        add_transfers(built, judged, layouts.front(), *order);
    }

    void add_transfers(const BuiltProgram& built, const slots::SlotJudgement& judged, const slots::Layout& layout,
                       const std::vector<EventId>& order) {
        std::vector<Round> rounds;
        for (const slots::SlotMessage& message : built.program.messages)
            rounds.push_back(built.steps[message.sent_by]->round);
        if (std::ranges::find(rounds, Round{0}) != rounds.end()) rounds.clear();
        slots::add_transfers(told_, {built.program, judged, layout, order}, std::move(rounds), context_, refuse_);
    }

    TextSource text_;
    Algorithm algorithm_;
    const ScheduleContext& context_;
    const Refuse refuse_ = [this](const std::string& why) { text_.refuse(why); };
    ToldSchedule told_;
};

}  // namespace

}  // namespace msccl

bool begins_msccl(std::string_view head) {
    return head.starts_with('<') && head.find("<algo") != std::string_view::npos;
}

ToldSchedule read_msccl(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return msccl::ScheduleReader(in, name, context).read();
}

}  // namespace kport
