#include "emulator/audit/auditor.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kport {

namespace {

/// Returns how many of the promised packets that came to the node are lost with it.
std::uint64_t lost_by(const Violation& violation) {
    if (violation.breach == Breach::passed_away) return violation.limit;
    return violation.breach == Breach::result_differs ? 1 : 0;
}

}  // namespace

void Auditor::report(const Violation& violation) {
    log_.add(violation);
    if (const std::uint64_t lost = lost_by(violation); lost > 0) lacking_[violation.node] += lost;
}

void Auditor::report_at_end(Violation violation) {
    violation.round = static_cast<Round>(metrics_.rounds);
    report(violation);
}

PacketBlocks Auditor::must_hold(NodeId v) const {
    if (!lacking_.empty() && lacking_.contains(v)) return {};  // already reported
    return ledger_->held_as_promised(v);
}

void Auditor::checked(const PayloadCheck& check) {
    compared(check.packets, check.bytes);
    if (check.lacking > 0) lacking_[check.node] += check.lacking;
    const auto tell = [&](Breach breach, PacketId packet, std::uint64_t byte) {
        Violation v;
        v.breach = breach;
        v.node = check.node;
        v.packet = packet;
        v.limit = byte;
        log_.add(v);
    };
    if (check.missing) tell(Breach::payload_missing, *check.missing, 0);
    if (check.differs) tell(Breach::payload_differs, *check.differs, check.byte);
}

Auditor::Ending Auditor::end(bool stopped) {
    Ending here{begin_verdict(), merged_log()};
    Verdict& verdict = here.verdict;
    if (ledger_ && stopped)
        std::tie(verdict.holders, verdict.promised) = ledger_->so_far(metrics_.transfers != 0);
    else if (ledger_)
        std::tie(verdict.holders, verdict.promised) = ledger_->finish(static_cast<Round>(metrics_.rounds), here.log);
    else if (!stopped && promises_ && reached_ + 1 != topology_->nodes())
        find_missing(here.log);
    take_away_lacking(verdict);
    here.log.for_each([this](Violation& violation) { complete(violation); });
    return here;
}

void Auditor::Ending::add(const Ending& other) {
    verdict.holders += other.verdict.holders;
    verdict.compared_packets += other.verdict.compared_packets;
    verdict.compared_bytes += other.verdict.compared_bytes;
    log.merge(other.log);
}

Verdict Auditor::conclude(Ending whole, bool stopped) const {
    Verdict verdict = std::move(whole.verdict);
    const ViolationLog& log = whole.log;
    // a node that is not served is a violation of its own
    verdict.delivered = !stopped && log.count(Rule::delivery) == 0;
    verdict.violations = log.listed();
    verdict.violation_count = log.count();
    for (const RuleRow& row : rule_rows)
        if (log.is_law(row.rule)) verdict.violations_by_rule[static_cast<std::size_t>(row.rule)] = log.count(row.rule);
    verdict.judged_by = collective_.rules;
    verdict.counted = log.counted();
    return verdict;
}

Verdict Auditor::begin_verdict() {
    judge_late();
    Verdict verdict;
    verdict.compared_packets = compared_packets_;
    verdict.compared_bytes = compared_bytes_;
    verdict.metrics = metrics_;
    verdict.per_round = std::move(per_round_);
    if (collective_.promises()) {
        verdict.holders = is_first_ ? reached_ + 1 : 0;  // the first auditor counts all nodes
        verdict.promised = topology_->nodes();
        if (collective_.members != nullptr &&
            ledger_ == nullptr) {  // nodes that want nothing count; sums over auditors
            verdict.holders = is_first_ ? topology_->nodes() : 0;
            for (const NodeId v : collective_.members->nodes())
                if (share_.contains(v) && records_[v].first_received == 0 && v != collective_.root) --verdict.holders;
        }
    }
    verdict.promised_at_root = collective_.inwards();
    return verdict;
}

void Auditor::judge_late() {
    Shown late;
    for (Shard& shard : shards_) {
        late += std::exchange(shard.sent, {});
        late += std::exchange(shard.received, {});
    }
    late += std::exchange(paths_, {});
    if (late.transfers == 0) return;
    Violation v;
    v.breach = Breach::shown_late;
    v.round = closed_;
    v.limit = late.transfers;
    log_.add(v);
}

void Auditor::find_missing(ViolationLog& log) const {
    share_.for_each(topology_->nodes(), [&](NodeId v) {
        if (records_[v].first_received != 0 || v == collective_.root || !collective_.has_member(v)) return;
        Violation missing;
        missing.breach = Breach::never_received;
        missing.round = static_cast<Round>(metrics_.rounds);
        missing.node = v;
        missing.limit = 1;
        log.add(missing);
    });
}

void Auditor::take_away_lacking(Verdict& verdict) const {
    for (const auto& [v, packets] : lacking_) {
        if (verdict.promised_at_root && v == collective_.root)
            verdict.holders -= std::min(verdict.holders, packets);
        else if (!verdict.promised_at_root &&
                 (ledger_ ? ledger_->satisfied_so_far(v) : records_[v].first_received != 0 || v == collective_.root))
            --verdict.holders;
    }
}

ViolationLog Auditor::merged_log() const {
    ViolationLog log = log_;
    for (const Shard& shard : shards_) log.merge(shard.log);
    return log;
}

void Auditor::complete(Violation& violation) const {
    if (violation.breach == Breach::received_again && !ledger_)
        violation.earlier_other = records_[violation.node].first_from;
}

}  // namespace kport
