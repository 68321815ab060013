#include "app/files/slot_program.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "emulator/schedule/packet_space.hpp"

namespace kport::slots {

std::optional<std::vector<EventId>> order_of(const SlotProgram& program, std::vector<FoundFault> findings,
                                             ToldSchedule& told, const CycleRemedy& remedy) {
    std::vector<FoundFault>& all = told.judgement.findings;
    all.insert(all.end(), std::make_move_iterator(findings.begin()), std::make_move_iterator(findings.end()));
    auto order = program.graph.topological();
    if (!order) {
        const std::vector<Precedence::Edge> cycle = program.graph.shortest_cycle();
        all.push_back({ScheduleFault::deadlock, program.graph.cycle_in_words(cycle),
                       remedy ? remedy(cycle) : std::vector<Repair>()});
    }
    if (all.empty()) return order;
    told.judgement.contents_judged = true;
    if (told.collective.promises()) told.judgement.not_judged.push_back({"delivery", "it cannot run"});
    return std::nullopt;
}

void note_judged(ToldSchedule& told, bool promises) {
    ForeignJudgement& judgement = told.judgement;
    judgement.judged = {"order", "races"};
    if (!promises) return;
    judgement.contents_judged = true;
    const bool has_race = std::ranges::any_of(
        judgement.findings, [](const FoundFault& found) { return found.fault == ScheduleFault::race; });
    if (has_race)
        judgement.not_judged.push_back({"delivery", "with a race what stands in memory depends on chance"});
    else
        judgement.judged.emplace_back("contents");
}

namespace {

void add_in_rounds(ToldSchedule& told, const JudgedProgram& judged, std::vector<Round> rounds,
                   const ScheduleContext& context, const Refuse& refuse) {
    const std::vector<LooseMessage> messages = messages_of(judged.program, judged.order, *told.topology);
    const bool are_told = !rounds.empty();
    if (!are_told) rounds = earliest_rounds_for(told, messages, context, refuse);
    std::vector<std::uint32_t> order = in_order_of(rounds, messages);
    const auto key = [&](std::uint32_t i) { return std::tuple(rounds[i], messages[i].from, messages[i].to); };
    if (are_told) std::ranges::stable_sort(order, {}, key);
    const std::uint64_t chunk_bytes = std::min(context.packet_bytes, contents_bytes_max);
    for (std::size_t i = 0; i < order.size();) {
        const std::uint32_t first = order[i];
        std::vector<Value> values;
        do {
            const std::vector<Value>& more = judged.judgement.carried[order[i]];
            values.insert(values.end(), more.begin(), more.end());
            ++i;
        } while (are_told && i < order.size() && key(order[i]) == key(first));
        const std::uint64_t bytes = std::clamp<std::uint64_t>(values.size() * chunk_bytes, 1, contents_bytes_max);
        const PacketSet packets =
            judged.layout.promises() ? packets_in(values, judged.layout) : PacketSet(contents_packets(bytes));
        told.schedule.add(rounds[first],
                          {messages[first].from, messages[first].to, messages[first].route, packets.blocks()});
    }
}

}  // namespace

void add_transfers(ToldSchedule& told, const JudgedProgram& judged, std::vector<Round> rounds,
                   const ScheduleContext& context, const Refuse& refuse) {
    const bool are_told = !rounds.empty();
    add_in_rounds(told, judged, std::move(rounds), context, refuse);
    if (are_told && !stand_judged(told, context)) add_in_rounds(told, judged, {}, context, refuse);
}

}  // namespace kport::slots
