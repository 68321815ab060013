#include "emulator/audit/audit_schedule.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

void require_packets_of(const Collective& collective, const Schedule& schedule, NodeId nodes) {
    const PacketSpace space(collective, nodes);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const auto packets = schedule.transfer(i).packets;
        if (!space.allows(packets))
            throw RequestError(
                fmt::format("transfers[{}].packets: it names {}", i, space.text(space.fault_of(packets))));
    }
}

/// The order in which an auditor is shown the transfers of a round.
bool comes_before(const Transfer& a, const Transfer& b) {
    if (a.from != b.from) return a.from < b.from;
    if (!std::ranges::equal(a.route, b.route)) return std::ranges::lexicographical_compare(a.route, b.route);
    return a.to < b.to;
}

Collective fitted_to(const Machine& machine, const Collective& collective) {
    require_topology(machine);
    return fitted(collective, *machine.topology);
}

/// Checks the arguments before an auditor is built, which trusts them.
const Machine& checked(const Schedule& schedule, const Machine& machine, const Collective& collective) {
    require_readable(schedule, machine, collective);
    return machine;
}

}  // namespace

void require_readable(const Schedule& schedule, const Machine& machine, const Collective& collective) {
    require_topology(machine);
    const Topology& topology = *machine.topology;
    if (topology.nodes() >= NodeId{1} << 32)
        throw DoesNotFit(fmt::format("{} has {} nodes; an audit keeps a record of each and holds fewer than 2^32",
                                     topology.spec(), topology.nodes()));
    require_valid(collective, topology);
    require_well_formed(schedule, topology);
    require_packets_of(collective, schedule, topology.nodes());
}

ScheduleAudit::ScheduleAudit(const Schedule& schedule, const Machine& machine, const Collective& collective,
                             bool per_round, std::size_t violations_max)
    : schedule_(schedule), hosts_(checked(schedule, machine, fitted_to(machine, collective)).topology->nodes()),
      auditor_(machine, fitted_to(machine, collective), 1, per_round, violations_max), rounds_(machine, auditor_) {}

/// Whether both ends are hosts; else the transfer is a breach, and moves nothing.
bool ScheduleAudit::is_between_hosts(Round round, const Transfer& transfer) {
    if (transfer.from < hosts_ && transfer.to < hosts_) return true;
    Violation v;
    v.breach = Breach::ends_at_switch;
    v.round = round;
    v.node = transfer.from;
    v.port = transfer.route.front();
    v.other = transfer.to;
    auditor_.report(v);
    return false;
}

bool ScheduleAudit::next() {
    const Round round = next_round();
    if (round == 0) return false;
    transfers_.clear();
    for (; next_ < schedule_.size() && schedule_.round(next_) == round; ++next_)
        if (is_between_hosts(round, schedule_.transfer(next_))) transfers_.push_back(schedule_.transfer(next_));
    if (!std::ranges::is_sorted(transfers_, comes_before))  // transfers that come from a run are sorted
        std::stable_sort(transfers_.begin(), transfers_.end(), comes_before);

    for (; next_silence_ < schedule_.silences().size() && schedule_.silences()[next_silence_].first < round;
         ++next_silence_)
        rounds_.silent(schedule_.silences()[next_silence_].first, schedule_.silences()[next_silence_].count);
    rounds_.show(round, transfers_);
    return true;
}

Verdict audit(const Schedule& schedule, const Machine& machine, const Collective& collective, bool per_round,
              std::size_t violations_max) {
    ScheduleAudit rounds(schedule, machine, collective, per_round, violations_max);
    while (rounds.next()) {
    }
    rounds.auditor().expect_no_results();
    return rounds.finish();
}

}  // namespace kport
