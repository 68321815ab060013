#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/judge.hpp"

namespace kport::bounds {
namespace {

constexpr const char* hard_in_general = "deciding it is NP-complete on general graphs (Garey-Johnson ND49)";

void about_broadcast(const Facts& facts, const Derivation& found, Knowledge& known) {
    if (facts.packets_each > 1) {
        about_long_broadcast(facts, found, known);
        return;
    }
    known.rounds = refute_broadcast_rounds(facts, found.rounds.value());
    known.path_sum = refute_broadcast_path_sum(facts, found);
    if (known.rounds) known.packets = following(*known.rounds, "a round moves at least one packet", "round", "rounds");
    if (facts.store_and_forward && facts.one_port()) known.open_question = hard_in_general;
}

/// A combining scatter contains a broadcast, in which every node is informed by its own packet; and every broadcast
/// becomes a scatter, with a bundle for each subtree. So both need equally many rounds and hops.
void about_scatter(const Facts& facts, const Derivation& found, Knowledge& known) {
    known.packets = refute_scatter_packets(facts, found.packets.value());
    if (facts.machine.combining) {
        known.rounds = refute_broadcast_rounds(facts, found.rounds.value());
        known.path_sum = refute_broadcast_path_sum(facts, found);
        return;
    }
    if (known.packets) known.rounds = following(*known.packets, "a round moves one packet", "packet", "packets");
    if (facts.store_and_forward && facts.grid != nullptr && facts.full_duplex && !facts.machine.pairwise)
        known.open_question = "maximum flows meet it on every small mesh and torus tried";
    if (facts.store_and_forward && known.rounds)
        known.path_sum = following(*known.rounds, "a round has at least one hop", "round", "rounds");
}

void about_scan(const Facts& facts, const Derivation&, Knowledge& known) { known.work = refute_scan_work(facts); }

}  // namespace

KnownSchedule of_all_packets(KnownSchedule of_one, const Facts& facts) {
    const Count all = facts.packets_each;
    if (all == 1) return of_one;
    const auto multiply = [&](std::optional<Count>& count) {
        if (count) *count *= all;
    };
    multiply(of_one.packets);
    if (facts.machine.combining) {
        of_one.name += fmt::format(" with {} {} together", all, facts.operation.folds() ? "segments" : "packets");
        return of_one;
    }
    for (auto* count : {&of_one.rounds, &of_one.work, &of_one.path_sum}) multiply(*count);
    of_one.name += fmt::format(", {} times over", all);
    return of_one;
}

std::vector<KnownSchedule> schedules_of(const Theory& theory, const Facts& facts) {
    // The theory does not know which runs of nodes its trees combine. So it knows no volume, and, where a message holds
    // a single packet, not even whether the schedule is lawful.
    if (facts.in_runs && !facts.machine.combining) return {};
    // The theory knows no schedules for machines on which a node cannot send, or receive.
    if (const PortLimit common = facts.machine.common_ports(); common.k() == 0) return {};
    std::vector<KnownSchedule> known = theory.schedules(with_known_schedules(facts));
    for (KnownSchedule& schedule : known) {
        schedule = of_all_packets(std::move(schedule), facts);
        if (facts.in_runs) schedule.packets.reset();
    }
    return known;
}

namespace {

KnownSchedule without_bundles(KnownSchedule there) {
    there.name += " without combining";
    return there;
}

/// Turns a round with bundles of at most b packets into b rounds, in which no more moves at once and nothing moves
/// earlier. Over single links each of them has a path of one.
KnownSchedule one_packet_a_round(KnownSchedule there, const Facts& facts) {
    there.name += facts.operation.folds() ? ", one value a round" : ", one packet a round";
    there.rounds = there.packets;
    there.path_sum = facts.store_and_forward ? there.packets : std::nullopt;
    there.work = std::nullopt;
    return there;
}

}  // namespace

std::vector<KnownSchedule> with_combining_and_without(const Machine& machine, const Collective& collective,
                                                      const SchedulesOf& known_on) {
    const Facts facts = facts_of(machine, collective);
    std::vector<KnownSchedule> known = known_on(facts);
    if (facts.operation.signals()) return known;  // signals have no packets to put together
    Machine other = machine;
    other.combining = !machine.combining;
    for (KnownSchedule& there : known_on(facts_of(other, collective)))
        known.push_back(machine.combining ? without_bundles(std::move(there))
                                          : one_packet_a_round(std::move(there), facts));
    return known;
}

const Theory* theory_of(const Operation& operation) {
    static const Theory all[] = {
        {Operation::broadcast, derive_broadcast, known_broadcasts, about_broadcast},
        {Operation::reduce, derive_broadcast, known_broadcasts, about_broadcast},
        {Operation::scatter, derive_scatter, known_scatters, about_scatter},
        {Operation::gather, derive_scatter, known_scatters, about_scatter},
        {Operation::allreduce, derive_allreduce, known_allreduces, nullptr},
        {Operation::scan, derive_scan, known_scans, about_scan},
        {Operation::exscan, derive_scan, known_scans, about_scan},
        {Operation::allgather, derive_allgather, known_allgathers, nullptr},
        {Operation::alltoall, derive_alltoall, known_alltoalls, nullptr},
        {Operation::reduce_scatter, derive_allgather, known_allgathers, nullptr},  // reversed in time
        {Operation::barrier, derive_barrier, known_besides_catalogue, nullptr},
        {Operation::permutation, derive_permutation, known_besides_catalogue, nullptr},
        {Operation::neighbor_allgather, derive_neighbours, known_besides_catalogue, nullptr},
        {Operation::neighbor_alltoall, derive_neighbours, known_besides_catalogue, nullptr},
    };
    const Theory* found = std::ranges::find(all, operation, &Theory::operation);
    return found == std::ranges::end(all) ? nullptr : found;
}

}  // namespace kport::bounds
