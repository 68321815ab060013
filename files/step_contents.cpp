#include "files/step_contents.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Faults of a kind are listed up to this number.
constexpr std::size_t listed_faults_max = 20;

}  // namespace

bool StepContents::follows(const Collective& collective) {
    return collective.operation == Operation::broadcast || collective.inwards() || collective.signals();
}

StepContents::StepContents(const std::vector<RankedStep>& steps, const StepOrder& order, const Collective& collective,
                           NodeId nodes)
    : steps_(steps), order_(order), collective_(collective), nodes_(nodes), receives_of_(nodes) {
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        if (steps[i].partner == RankedStep::none) continue;
        if (steps[i].kind == RankedStep::Kind::receive) receives_of_[steps[i].rank].push_back(i);
        if (steps[i].kind == RankedStep::Kind::send) sends_.push_back(i);
    }
}

PacketSet StepContents::own(NodeId rank) const {
    if (follows(collective_) && !collective_.signals()) return collective_.owned(rank, nodes_);
    if (collective_.operation == Operation::scatter && rank != collective_.root) return {};
    return PacketSet::range(rank, rank + 1);
}

PacketSet StepContents::needed(NodeId rank) const {
    if (follows(collective_) && !collective_.signals()) return collective_.wanted(rank, nodes_);
    if (collective_.operation == Operation::scatter) return PacketSet::range(collective_.root, collective_.root + 1);
    if (collective_.operation == Operation::permutation) return {};
    return PacketSet::range(0, collective_.scans() ? rank + 1 : nodes_);
}

void StepContents::follow(const std::vector<StepOrder::Event>& topological) {
    known_.assign(2 * steps_.size(), {});
    at_end_.assign(nodes_, {});
    for (const StepOrder::Event event : topological) {
        const RankedStep& step = steps_[StepOrder::step_of(event)];
        if (step.rank == no_node) continue;
        PacketSet& known = known_[event];
        for (const StepOrder::Event before : order_.before()[event]) {
            const std::uint32_t other = StepOrder::step_of(before);
            if (steps_[other].rank == step.rank || other == step.partner) known.include(known_[before]);
        }
        if (event == StepOrder::start_of(StepOrder::step_of(event)))
            known.include(own(step.rank));
        else
            at_end_[step.rank].include(known);
    }
    for (NodeId rank = 0; rank < nodes_; ++rank) at_end_[rank].include(own(rank));
}

/// The least sets with: a send carries its rank's own, and what all receives bring that do not come after it.
void StepContents::find_possible() {
    constexpr std::uint64_t work_max = std::uint64_t{1} << 28;
    possible_.assign(steps_.size(), {});
    before_sends_.assign(steps_.size(), {});
    const bool few = std::uint64_t{sends_.size()} * steps_.size() < work_max;
    for (const std::uint32_t send : sends_) {
        possible_[send] = own(steps_[send].rank);
        std::vector<std::uint32_t>& list = before_sends_[send];
        list = receives_of_[steps_[send].rank];
        if (!few) continue;
        const std::vector<bool> after = order_.all_after(StepOrder::start_of(send));
        std::erase_if(list, [&](std::uint32_t receive) { return after[StepOrder::end_of(receive)]; });
    }
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

void StepContents::note_missing_orders(ForeignJudgement& judgement) {
    std::size_t listed = 0;
    for (const std::uint32_t send : sends_)
        for (const std::uint32_t receive : before_sends_[send]) {
            if (!may_lack(send, receive) || ++listed > listed_faults_max) continue;
            const RankedStep& late = steps_[send];
            const RankedStep& needs = steps_[receive];
            const std::string cure = late.label.empty() || needs.label.empty()
                                         ? fmt::format("it must end before line {} begins", late.line)
                                         : fmt::format("missing: {} requires {}", late.label, needs.label);
            judgement.findings.push_back(
                {ScheduleFault::order, fmt::format("{} may start before the rank has received from {} (line {}); {}",
                                                   in_words(late), steps_[needs.partner].rank, needs.line, cure)});
        }
}

void StepContents::judge(const std::vector<StepOrder::Event>& topological, ForeignJudgement& judgement) {
    follow(topological);
    const auto lacks = [&](const std::vector<PacketSet>& sets, NodeId rank) {
        return !sets[rank].covers(needed(rank).blocks());
    };
    std::vector<NodeId> lacking;
    for (NodeId rank = 0; rank < nodes_; ++rank)
        if (lacks(at_end_, rank)) lacking.push_back(rank);
    const bool empty_sends = std::ranges::any_of(sends_, [&](std::uint32_t send) { return carried(send).empty(); });
    if (lacking.empty() && !empty_sends) return;
    find_possible();
    const bool sends_early =
        std::ranges::any_of(sends_, [&](std::uint32_t i) { return carried(i).empty() && !possible_[i].empty(); });
    const auto could_have = [&](NodeId rank) { return !lacks(possible_at_end_, rank); };
    if (sends_early || std::ranges::any_of(lacking, could_have)) note_missing_orders(judgement);
    std::size_t listed = 0;
    for (const NodeId rank : lacking)
        if (lacks(possible_at_end_, rank) && ++listed <= listed_faults_max)
            judgement.findings.push_back(
                {ScheduleFault::delivery,
                 fmt::format("rank {} receives {} of {}, in whatever order", rank, possible_at_end_[rank].size(),
                             counted(needed(rank).size(), collective_.signals() ? "signal" : "packet"))});
}

void StepContents::judge_possible(ForeignJudgement& judgement) {
    find_possible();
    std::size_t listed = 0;
    for (NodeId rank = 0; rank < nodes_ && listed < listed_faults_max; ++rank) {
        const PacketSet& heard = possible_at_end_[rank];
        for (NodeId other = 0; other < nodes_; ++other) {
            const PacketSet one = PacketSet::range(other, other + 1);
            if (!needed(rank).covers(one.blocks()) || heard.covers(one.blocks())) continue;
            judgement.findings.push_back(
                {ScheduleFault::delivery,
                 fmt::format(
                     "rank {} cannot have anything of rank {}: no messages lead from one to the other in any order",
                     rank, other)});
            ++listed;
            break;
        }
    }
}

}  // namespace kport
