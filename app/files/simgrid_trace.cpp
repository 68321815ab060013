/// @file simgrid_trace.cpp   Schedules as SimGrid's time-independent traces: what each rank sends, receives and waits
///                           for.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/files/foreign_schedule.hpp"
#include "app/files/simgrid_text.hpp"
#include "app/files/transfer_words.hpp"

namespace kport {

bool begins_simgrid(std::string_view head) {
    const std::size_t digits = head.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || head[digits] != ' ') return false;
    const std::string_view word = head.substr(digits + 1);
    const auto is_word = [&](std::string_view action) {
        return word.starts_with(action) && (word.size() == action.size() || word[action.size()] == ' ' ||
                                            word[action.size()] == '\n' || word[action.size()] == '\r');
    };
    return std::ranges::any_of(simgrid::action_names(), is_word);
}

bool names_simgrid_files(const std::string& name, std::string_view head) {
    const std::string_view line = head.substr(0, head.find_first_of(" \t\r\n"));
    std::error_code none;  // a word may be too long for a file name
    return !line.empty() && std::filesystem::is_regular_file(simgrid::file_beside(name, line), none);
}

bool is_simgrid_folder(const std::string& folder) {
    std::set<std::string> ranks;
    for (const std::filesystem::path& path : simgrid::files_in_folder(folder)) {
        std::ifstream file(path);
        std::string line;
        std::getline(file, line);
        if (!begins_simgrid(line + '\n') || !ranks.insert(line.substr(0, line.find(' '))).second) return false;
    }
    return ranks.size() > 1;
}

ToldSchedule read_simgrid(std::istream& in, const std::string& name, const ScheduleContext& context) {
    simgrid::TraceText text(name);
    text.read(in);
    return schedule_of(text.finish(), context);
}

ToldSchedule read_simgrid_folder(const std::string& folder, const ScheduleContext& context) {
    simgrid::TraceText text(folder);
    for (const std::filesystem::path& path : simgrid::files_in_folder(folder)) text.read_file(path);
    return schedule_of(text.finish(), context);
}

void write_simgrid(std::ostream& out, const ToldSchedule& told) {
    const std::vector<std::vector<std::size_t>> of_rank = transfers_by_rank(told, "SimGrid's trace");
    if (told.collective.promises() && !told.collective.is_own())
        for (const std::string& line : header_in_words(told)) out << simgrid::own_words << line << '\n';
    out << simgrid::own_words << tags_are_rounds << '\n';
    for (NodeId rank = 0; rank < of_rank.size(); ++rank) {
        out << rank << " init\n";
        for (std::size_t at = 0; at < of_rank[rank].size(); ++at) {
            const std::size_t i = of_rank[rank][at];
            const Transfer transfer = told.schedule.transfer(i);
            const Round round = told.schedule.round(i);
            const bool sends = transfer.from == rank;
            if (sends && told.collective.promises())
                out << simgrid::packets_words << packets_in_words(transfer.packets, told) << '\n';
            out << fmt::format("{} {} {} {} {}\n", rank, sends ? "isend" : "irecv", sends ? transfer.to : transfer.from,
                               round, bytes_of(transfer, told));
            if (at + 1 == of_rank[rank].size() || told.schedule.round(of_rank[rank][at + 1]) != round)
                out << rank << " waitall\n";
        }
        out << rank << " finalize\n";
    }
}

}  // namespace kport
