#include "app/requests/compared.hpp"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "app/requests/texts.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

std::string why_not_here(const Misfit& misfit) {
    const std::string why = misfit_in_options(misfit.why);
    return misfit.if_named ? fmt::format("{} (--algorithm {} runs it)", why, misfit.algorithm) : why;
}

Cell measured_cell(const Report& report, double measured, const BoundLine& bound) {
    return {grouped(measured), optimal(report, measured, bound) == true ? Tone::good : Tone::plain};
}

std::string ns_a_message(const Report& report) {
    // By counts, so that the same command has the same columns: such a run takes about a millisecond.
    constexpr std::uint64_t messages_timed = 10'000;
    constexpr std::uint64_t bytes_timed = std::uint64_t{16} << 20;
    const std::uint64_t messages = report.verdict.metrics.transfers;
    if (report.reproducible || messages == 0 || (messages < messages_timed && bytes_moved(report) < bytes_timed))
        return "";
    return grouped(std::round(message_seconds(report) * 1e9 / static_cast<double>(messages)));
}

Json comparison_json(const Comparison& comparison, const BoundLines& bounds) {
    const Experiment& e = comparison.experiment;
    Json json;
    put_operation(json, e.collective, e.topology());
    put_machine(json, e.machine, e.root(), e.collective.packet_bytes, e.collective.packets_each);
    put_bounds(json, bounds);
    json["runs"] = Json::array();
    for (const Report& report : comparison.reports) {
        Json run;
        put_run(run, report);
        json["runs"].push_back(std::move(run));
    }
    json["not_applicable"] = Json::array();
    for (const Misfit& misfit : comparison.misfits)
        json["not_applicable"].push_back({{"algorithm", misfit.algorithm}, {"why", why_not_here(misfit)}});
    json["failed"] = Json::array();
    for (const FailedRun& failure : comparison.failures)
        json["failed"].push_back({{"algorithm", failure.algorithm}, {"why", failure.why}});
    json["stopped"] = comparison.stopped;
    return json;
}

}  // namespace kport::requests
