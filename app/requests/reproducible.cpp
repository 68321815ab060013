#include "app/requests/reproducible.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "emulator/report/text_report.hpp"

namespace kport::requests {

namespace {

/// The command of the line `again` without --threads.
std::string without_threads(std::string command) {
    constexpr std::string_view option = " --threads ";
    const std::size_t begin = command.find(option);
    if (begin == std::string::npos) return command;
    return command.erase(begin, std::min(command.find(' ', begin + option.size()), command.size()) - begin);
}

/// Without a line that has such a label, and what was wrapped of it.
std::string without_line(std::string report, std::string_view begins) {
    const std::size_t begin = report.find(begins);
    if (begin == std::string::npos) return report;
    std::size_t end = report.find('\n', begin + 1);
    while (end != std::string::npos &&
           report.compare(end + 1, begins.size() - 1, std::string(begins.size() - 1, ' ')) == 0)
        end = report.find('\n', end + 1);
    return report.erase(begin, std::min(end, report.size()) - begin);
}

}  // namespace

void leave_out_times(Json& json) {
    constexpr std::string_view keys[] = {"wall_seconds", "moving_seconds", "exchange_seconds",
                                         "seconds",      "peak_rss_bytes", "threads"};
    if (json.is_object()) {
        for (const std::string_view key : keys) json.erase(std::string(key));
        if (const auto again = json.find("again"); again != json.end() && again->is_string())
            *again = without_threads(again->get<std::string>());
    }
    if (json.is_structured())
        for (Json& each : json) leave_out_times(each);
}

std::string report_without_times(Report report, const Paint& paint, std::size_t width) {
    report.again = without_threads(std::move(report.again));
    report.engine.ranks.clear();
    return without_line(without_line(text_report(report, paint, width), "\nchip    "), "\naudit   ");
}

}  // namespace kport::requests
