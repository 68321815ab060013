/// @file goal_schedule.cpp   Schedules in GOAL, the language of LogGOPSim.
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/foreign_schedule.hpp"
#include "app/files/goal_text.hpp"
#include "app/files/transfer_words.hpp"

namespace kport {

using goal::GoalText;
using goal::own_words;
using goal::packets_words;

bool begins_goal(std::string_view head) {
    return head.find("num_ranks") != std::string_view::npos && !head.starts_with('{');
}

ToldSchedule read_goal(std::istream& in, const std::string& name, const ScheduleContext& context) {
    GoalText text(in, name);
    return schedule_of(text.read(), context);
}

void write_goal(std::ostream& out, const ToldSchedule& told) {
    const NodeId nodes = told.topology->nodes();
    const std::vector<std::vector<std::size_t>> of_rank = transfers_by_rank(told, "GOAL");
    out << "num_ranks " << nodes << '\n';
    if (told.collective.promises() && !told.collective.is_own())
        for (const std::string& line : header_in_words(told)) out << own_words << line << '\n';
    out << own_words << tags_are_rounds << '\n';
    for (NodeId rank = 0; rank < nodes; ++rank) {
        out << fmt::format("\nrank {} {{\n", rank);
        std::vector<std::string> before;  // labels of the last round in which the rank sent or received
        std::vector<std::string> now;
        Round round = 0;
        for (const std::size_t i : of_rank[rank]) {
            const Transfer transfer = told.schedule.transfer(i);
            if (told.schedule.round(i) != round) {
                round = told.schedule.round(i);
                if (!now.empty()) before = std::exchange(now, {});
            }
            const bool sends = transfer.from == rank;
            const std::string label = fmt::format("{}{}", sends ? 's' : 'r', i);
            if (sends && told.collective.promises())
                out << packets_words << packets_in_words(transfer.packets, told) << '\n';
            out << fmt::format("{}: {} {}b {} {} tag {}\n", label, sends ? "send" : "recv", bytes_of(transfer, told),
                               sends ? "to" : "from", sends ? transfer.to : transfer.from, round);
            for (const std::string& earlier : before) out << label << " requires " << earlier << '\n';
            now.push_back(label);
        }
        out << "}\n";
    }
}

}  // namespace kport
