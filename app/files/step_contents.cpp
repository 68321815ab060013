#include "app/files/step_contents.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

/// GOAL's line that orders two steps of a rank, inserted after both. Without edits if a step has no label.
Repair missing_line(const RankedStep& late, const RankedStep& needs) {
    if (late.label.empty() || needs.label.empty()) return {};
    const std::string line = fmt::format("{} requires {}", late.label, needs.label);
    return {fmt::format("rank {}", late.rank),
            line,
            {{std::max(late.line, needs.line) + 1, 1, {}, line + "\n", late.line}}};
}

}  // namespace

bool StepContents::follows(const Collective& collective) {
    return collective.operation == Operation::broadcast || collective.inwards() || collective.signals();
}

StepContents::StepContents(const std::vector<RankedStep>& steps, const StepOrder& order, const Collective& collective,
                           NodeId nodes, bool follows)
    : steps_(steps), order_(order), collective_(collective), nodes_(nodes), follows_(follows), receives_of_(nodes) {
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        if (steps[i].partner == RankedStep::none) continue;
        if (steps[steps[i].partner].rank == steps[i].rank) continue;  // a message to oneself is no receipt
        if (steps[i].kind == RankedStep::Kind::receive) receives_of_[steps[i].rank].push_back(i);
        if (steps[i].kind == RankedStep::Kind::send) sends_.push_back(i);
    }
}

PacketSet StepContents::own(NodeId rank) const {
    const bool has_packets = follows_ || !said_.empty();
    if (has_packets && !collective_.signals()) return collective_.owned(rank, nodes_);
    if (collective_.operation == Operation::scatter && rank != collective_.root) return {};
    return PacketSet::range(rank, rank + 1);
}

PacketSet StepContents::needed(NodeId rank) const {
    if (follows_ && !collective_.signals()) return collective_.wanted(rank, nodes_);
    if (!collective_.has_member(rank)) return {};
    if (collective_.operation == Operation::scatter) return PacketSet::range(collective_.root, collective_.root + 1);
    if (collective_.operation == Operation::permutation) return {};
    if (collective_.members == nullptr)
        return PacketSet::range(0, collective_.scans() ? collective_.prefix_size(rank) : nodes_);
    if (collective_.scans()) return columns_of(collective_.wanted(rank, nodes_).blocks());
    PacketSet ranks;
    for (const NodeId member : collective_.members->ascending())
        ranks.add(PacketBlock{static_cast<std::uint32_t>(member)});
    return ranks;
}

void StepContents::follow(const std::vector<EventId>& topological) {
    known_.assign(2 * steps_.size(), {});
    at_end_.assign(nodes_, {});
    for (const EventId event : topological) {
        const RankedStep& step = steps_[StepOrder::step_of(event)];
        if (step.rank == no_node) continue;
        PacketSet& known = known_[event];
        for (const Precedence::Edge& edge : order_.before(event)) {
            const std::uint32_t other = StepOrder::step_of(edge.before);
            const auto said = said_.find(other);
            if (other == step.partner && said != said_.end())
                known.include(said->second);
            else if (steps_[other].rank == step.rank || other == step.partner)
                known.include(known_[edge.before]);
        }
        if (event == StepOrder::start_of(StepOrder::step_of(event)))
            known.include(own(step.rank));
        else
            at_end_[step.rank].include(known);
    }
    for (NodeId rank = 0; rank < nodes_; ++rank) at_end_[rank].include(own(rank));
}

/// Whether the predecessors and successors of every send can be examined.
bool StepContents::has_few_steps() const {
    constexpr std::uint64_t work_max = std::uint64_t{1} << 28;
    return std::uint64_t{sends_.size()} * steps_.size() < work_max;
}

void StepContents::find_receives_before_sends() {
    before_sends_.assign(steps_.size(), {});
    for (const std::uint32_t send : sends_) {
        std::vector<std::uint32_t>& list = before_sends_[send];
        list = receives_of_[steps_[send].rank];
        if (!has_few_steps()) continue;
        const std::vector<bool> after = order_.all_after(StepOrder::start_of(send));
        std::erase_if(list, [&](std::uint32_t receive) { return after[StepOrder::end_of(receive)]; });
    }
}

/// Computes the least sets with: a send carries its rank's own packets, and what all receives bring that do not come
/// after it.
void StepContents::find_possible() {
    find_receives_before_sends();
    possible_.assign(steps_.size(), {});
    for (const std::uint32_t send : sends_) possible_[send] = own(steps_[send].rank);
    for (bool grows = true; grows;) {
        grows = false;
        for (const std::uint32_t send : sends_) {
            PacketSet& set = possible_[send];
            const std::uint64_t size = set.size();
            for (const std::uint32_t receive : before_sends_[send]) set.include(possible_[steps_[receive].partner]);
            grows = grows || set.size() != size;
        }
    }
    possible_at_end_.assign(nodes_, {});
    for (NodeId rank = 0; rank < nodes_; ++rank) {
        possible_at_end_[rank] = own(rank);
        for (const std::uint32_t receive : receives_of_[rank])
            possible_at_end_[rank].include(possible_[steps_[receive].partner]);
    }
}

bool StepContents::may_lack(std::uint32_t send, std::uint32_t receive) const {
    return !carried(send).covers(possible_[steps_[receive].partner].blocks());
}

/// Removes the receives that bring what the send may lack. If it waits for one of them, an earlier send is early.
void StepContents::find_missing_receives(std::uint32_t send) {
    std::vector<std::uint32_t>& receives = before_sends_[send];
    std::erase_if(receives, [&](std::uint32_t receive) { return !may_lack(send, receive); });
    if (receives.empty() || !has_few_steps()) return;
    const std::vector<bool> before = order_.all_before(StepOrder::start_of(send));
    std::erase_if(receives, [&](std::uint32_t receive) { return before[StepOrder::end_of(receive)]; });
}

/// Steps are written in the intended order: receives before their sends come first, and if there are any, orders
/// against the file are not suggested.
void StepContents::note_missing_orders(FaultList& faults) {
    for (const std::uint32_t send : sends_) find_missing_receives(send);
    bool has_repairs = false;
    for (const bool stands_before : {true, false})
        for (const std::uint32_t send : sends_)
            for (const std::uint32_t receive : before_sends_[send]) {
                if ((steps_[receive].line < steps_[send].line) != stands_before) continue;
                FoundFault found{ScheduleFault::order, ""};
                if (!faults.is_full(ScheduleFault::order)) found = missing_order(send, receive);
                if (!stands_before && has_repairs) found.repairs.clear();
                has_repairs = has_repairs || stands_before;
                faults.add(std::move(found));
            }
}

FoundFault StepContents::missing_order(std::uint32_t send, std::uint32_t receive) const {
    const RankedStep& late = steps_[send];
    const RankedStep& needs = steps_[receive];
    Repair repair = missing_line(late, needs);
    const std::string cure = repair.edits.empty() ? fmt::format("it must end before line {} begins", late.line)
                                                  : fmt::format("missing: {}", repair.what);
    return {ScheduleFault::order,
            fmt::format("{} may start before the rank has received from {} (line {}); {}", in_words(late),
                        steps_[needs.partner].rank, needs.line, cure),
            {std::move(repair)}};
}

void StepContents::judge(const std::vector<EventId>& topological, FaultList& faults) {
    follow(topological);
    const auto lacks = [&](const std::vector<PacketSet>& sets, NodeId rank) {
        return !sets[rank].covers(needed(rank).blocks());
    };
    std::vector<NodeId> lacking;
    for (NodeId rank = 0; rank < nodes_; ++rank)
        if (lacks(at_end_, rank)) lacking.push_back(rank);
    if (lacking.empty() && !has_signals()) return;
    find_possible();
    const bool sends_early =
        std::ranges::any_of(sends_, [&](std::uint32_t i) { return carried(i).empty() && !possible_[i].empty(); });
    const auto could_have = [&](NodeId rank) { return !lacks(possible_at_end_, rank); };
    if (sends_early || std::ranges::any_of(lacking, could_have)) note_missing_orders(faults);
    for (const NodeId rank : lacking)
        if (lacks(possible_at_end_, rank))
            faults.add(ScheduleFault::delivery,
                       fmt::format("rank {} receives {} of {}, in whatever order", rank, possible_at_end_[rank].size(),
                                   counted(needed(rank).size(), collective_.signals() ? "signal" : "packet")));
}

bool StepContents::has_signals() const {
    return std::ranges::any_of(sends_, [&](std::uint32_t send) { return carried(send).empty(); });
}

void StepContents::judge_receipts(FaultList& faults) const {
    for (NodeId rank = 0; rank < nodes_; ++rank) {
        const PacketSet owned = own(rank);
        PacketSet received;
        for (const std::uint32_t receive : receives_of_[rank]) {
            const PacketSet& came = carried(steps_[receive].partner);
            const auto add = [&](ScheduleFault fault, const PacketSet& held, std::string_view why) {
                const PacketBlocks again = in_both(came.blocks(), held);
                if (!again.empty())
                    faults.add(fault, fmt::format("{} brings packet {}, {}", in_words(steps_[receive]),
                                                  again.front().first, why));
            };
            add(ScheduleFault::noho, owned, "which the rank owns");
            add(ScheduleFault::nodup, received, "which the rank receives twice");
            received.include(came);
        }
    }
}

void StepContents::judge_possible(FaultList& faults) {
    find_possible();
    for (NodeId rank = 0; rank < nodes_ && !faults.is_full(ScheduleFault::delivery); ++rank) {
        const PacketSet& heard = possible_at_end_[rank];
        for (NodeId other = 0; other < nodes_; ++other) {
            const PacketSet one = PacketSet::range(other, other + 1);
            if (!needed(rank).covers(one.blocks()) || heard.covers(one.blocks())) continue;
            faults.add(
                ScheduleFault::delivery,
                fmt::format(
                    "rank {} cannot have anything of rank {}: no messages lead from one to the other in any order",
                    rank, other));
            break;
        }
    }
}

/// A result requires itself, or all contributions to it.
bool StepContents::holds(const PacketSet& known, const PacketSet& said) const {
    if (known.covers(said.blocks())) return true;
    if (!collective_.folds()) return false;
    return std::ranges::all_of(said.blocks(), [&](const PacketBlock& block) {
        const std::span<const PacketBlock> one(&block, 1);
        if (known.covers(one)) return true;
        return block.first == nodes_ && known.covers(collective_.in_results(one, nodes_).blocks());
    });
}

void StepContents::judge_said(const std::vector<EventId>& topological, FaultList& faults) {
    follow(topological);
    find_receives_before_sends();
    for (const auto& [send, said] : said_) {
        PacketSet known = carried(send);
        if (holds(known, said)) continue;
        const RankedStep& step = steps_[send];
        Repair repair;
        for (const std::uint32_t receive : before_sends_[send]) {
            const auto other = said_.find(steps_[receive].partner);
            if (other == said_.end() || known.covers(other->second.blocks())) continue;
            known.include(other->second);
            Repair line = missing_line(step, steps_[receive]);
            repair.where = line.where;
            repair.what += (repair.what.empty() ? "" : ", ") + line.what;
            repair.edits.insert(repair.edits.end(), line.edits.begin(), line.edits.end());
        }
        if (!holds(known, said)) {
            faults.add(ScheduleFault::delivery,
                       fmt::format("{} carries packets that its rank never has", in_words(step)));
            continue;
        }
        const std::string cure = repair.edits.empty() ? "it must require the receives that bring them"
                                                      : fmt::format("missing: {}", repair.what);
        faults.add(ScheduleFault::order,
                   fmt::format("{} may start before its rank has received the packets that it carries; {}",
                               in_words(step), cure),
                   {std::move(repair)});
    }
}

}  // namespace kport
