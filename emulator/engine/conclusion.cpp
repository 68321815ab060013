#include "emulator/engine/conclusion.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "emulator/engine/payload.hpp"

namespace kport {

RunResult Conclusion::result(bool stopped) {
    RunResult result;
    Auditor& auditor = world_.auditor;
    if (!stopped) {
        compare_payload();
        if (world_.folder) verify_all_results(result);
        // Programs that still wait when nothing moves any more wait for ever.
        for (const auto& partition : partitions_) partition->tell_waiting(auditor);
    }
    hand_over_asked();
    result.verdict = auditor.conclude(ranks_.together(auditor.end(stopped)), stopped);
    crew_.give_times();
    gather_phases();
    result.stopped = stopped;
    result.threads = crew_.threads();
    return result;
}

void Conclusion::compare_payload() {
    if (!world_.holds_bytes()) return;
    const auto for_index = [&](std::size_t count, const auto& body) { crew_.for_index(count, body); };
    if (world_.store) world_.store->compare_groups(for_index);
    verify_payload(
        world_.topology.nodes(), world_.auditor, world_.job.collective.packet_bytes,
        [&](NodeId v) {
            return ranks_.share().contains(v) && world_.has_right_packet(v, world_.holds_packet(v), world_.auditor);
        },
        [&](NodeId v) {
            if (!ranks_.share().contains(v)) return PayloadCheck{};
            return world_.check_payload(v, world_.holds_packet(v), world_.auditor, world_.has_started(v));
        },
        for_index);
    if (options_.keep != nullptr) world_.keep(*options_.keep, world_.auditor);
}

std::vector<ShownResult> Conclusion::results_here(AgreementBook* book) const {
    const auto verified = [&](const auto& results) {
        return verify_results(*world_.folder, world_.job.collective, world_.topology.nodes(), results, world_.auditor,
                              options_.results_max, ranks_.share(), book);
    };
    const bool are_elements = world_.exchange && world_.exchange->relay == nullptr;
    return are_elements ? verified(world_.exchange->results()) : verified(world_.results);
}

/// Shows the results of all ranks. Those of several are not compared with each other.
void Conclusion::verify_all_results(RunResult& result) {
    AgreementBook book(*world_.folder, world_.job.collective, world_.topology.nodes());
    std::vector<ShownResult> shown;
    for (std::vector<ShownResult>& theirs : ranks_.everyones(results_here(ranks_.alone() ? &book : nullptr)))
        std::ranges::move(theirs, std::back_inserter(shown));
    result.results = texts_of(std::move(shown));
    if (ranks_.alone() && world_.folder->payload()) result.agreement = book.agreement();
}

void Conclusion::hand_over_asked() {
    if (options_.asked == nullptr) return;
    options_.asked->clear();
    for (const auto& partition : partitions_)
        options_.asked->insert(options_.asked->end(), partition->asked().begin(), partition->asked().end());
}

/// Of all ranks, one after the other.
void Conclusion::gather_phases() {
    if (options_.phases == nullptr || ranks_.alone()) return;
    for (PhaseTime& time : *options_.phases) time.rank = ranks_.rank();
    std::vector<std::vector<PhaseTime>> all = ranks_.everyones(std::move(*options_.phases));
    options_.phases->clear();
    for (const std::vector<PhaseTime>& times : all)
        options_.phases->insert(options_.phases->end(), times.begin(), times.end());
}

}  // namespace kport
