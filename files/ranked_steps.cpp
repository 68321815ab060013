#include "files/ranked_steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "files/ranked.hpp"
#include "files/transfer_words.hpp"

namespace kport {

namespace {

/// From the steps to a schedule.
class StepsReader {
  public:
    StepsReader(RankedSteps text, const ScheduleContext& context) : text_(std::move(text)), context_(context) {}

    ToldSchedule read() {
        read_own_words();
        match();
        find_order();
        std::vector<Round> rounds =
            own_rounds_ ? rounds_by_tag() : earliest_rounds_for(told_, messages_, context_, refuse_);
        put_together(rounds);
        return std::move(told_);
    }

  private:
    [[noreturn]] void refuse_at(const RankedStep& step, const std::string& why) const {
        throw RequestError(fmt::format("{}: line {}: {}", text_.what, step.line, why));
    }

    void read_own_words() {
        own_rounds_ = std::ranges::find(text_.own, tags_are_rounds) != text_.own.end();
        told_ = told_of_ranks(text_.ranks, text_.own, context_, refuse_);
        told_.remarks.insert(told_.remarks.end(), text_.remarks.begin(), text_.remarks.end());
    }

    /// As MPI does: the first receive takes the first send of its rank and tag. Receives of any rank come last.
    void match() {
        std::vector<RankedStep>& steps = text_.steps;
        std::map<std::pair<NodeId, NodeId>, std::vector<std::uint32_t>> sent;  // by receiver and sender
        for (std::uint32_t i = 0; i < steps.size(); ++i)
            if (steps[i].kind == RankedStep::Kind::send) sent[{steps[i].peer, steps[i].rank}].push_back(i);
        bool any = false;
        for (const bool of_any : {false, true})
            for (std::uint32_t i = 0; i < steps.size(); ++i)
                if (steps[i].kind == RankedStep::Kind::receive && (steps[i].peer == no_node) == of_any) {
                    take_send_for(i, sent);
                    any = any || of_any;
                }
        for (const RankedStep& step : steps)
            if (step.kind == RankedStep::Kind::send && step.message == RankedStep::none)
                refuse_at(step, fmt::format("rank {} never receives what rank {} sends here", step.peer, step.rank));
        if (any) told_.remarks.emplace_back("a receive from any rank takes the send of the lowest rank that is left");
    }

    void take_send_for(std::uint32_t receive, std::map<std::pair<NodeId, NodeId>, std::vector<std::uint32_t>>& sent) {
        RankedStep& step = text_.steps[receive];
        const bool of_any = step.peer == no_node;
        auto at = sent.lower_bound({step.rank, of_any ? 0 : step.peer});
        for (; at != sent.end() && at->first.first == step.rank && (of_any || at->first.second == step.peer); ++at) {
            auto& list = at->second;
            const auto found = std::ranges::find_if(list, [&](std::uint32_t send) {
                return !step.tag || !text_.steps[send].tag || text_.steps[send].tag == step.tag;
            });
            if (found == list.end()) continue;
            RankedStep& send = text_.steps[*found];
            send.message = step.message = static_cast<std::uint32_t>(messages_.size());
            messages_.push_back({send.rank, send.peer});
            sends_.push_back(*found);
            receives_.push_back(receive);
            list.erase(found);
            return;
        }
        refuse_at(step, fmt::format("no send is left for this receive of rank {}", step.rank));
    }

    /// Which messages come before each: what its send and its receive require, through calculations.
    void find_order() {
        for (std::uint32_t i = 0; i < messages_.size(); ++i) {
            messages_[i].route = route_between(*told_.topology, messages_[i].from, messages_[i].to);
            std::set<std::uint32_t> after;
            for (const std::uint32_t step : {sends_[i], receives_[i]}) collect(step, after);
            if (after.contains(i)) refuse_at(text_.steps[sends_[i]], "the message requires itself");
            messages_[i].after.assign(after.begin(), after.end());
        }
    }

    void collect(std::uint32_t step, std::set<std::uint32_t>& after) {
        std::vector<std::uint32_t> open = text_.steps[step].after;
        std::set<std::uint32_t> calculations;
        while (!open.empty()) {
            const std::uint32_t next = open.back();
            open.pop_back();
            const RankedStep& before = text_.steps[next];
            if (before.message != RankedStep::none)
                after.insert(before.message);
            else if (calculations.insert(next).second)
                open.insert(open.end(), before.after.begin(), before.after.end());
        }
    }

    [[nodiscard]] std::vector<Round> rounds_by_tag() const {
        std::vector<Round> rounds;
        for (const std::uint32_t send : sends_) {
            const RankedStep& step = text_.steps[send];
            const std::uint64_t tag = step.tag.value_or(0);
            if (tag == 0 || tag > ScheduleWriting::round_max)
                refuse_at(step, fmt::format("tag {} is no round; want a whole number from 1 to {}", tag,
                                            ScheduleWriting::round_max));
            rounds.push_back(static_cast<Round>(tag));
        }
        return rounds;
    }

    void put_together(const std::vector<Round>& rounds) {
        const bool named = told_.collective.promises();
        const bool said = std::ranges::all_of(sends_, [&](std::uint32_t i) { return !text_.steps[i].packets.empty(); });
        const bool follow = named && !said && HeldByAll::follows(told_.collective);
        if (named && !said && !follow) {
            told_.collective = Collective::none();
            told_.lacks_promise = true;
        }
        if (told_.lacks_promise)
            told_.judgement.not_judged.push_back(
                {"delivery", named ? "it does not say which packets its messages carry" : no_operation_named});
        HeldByAll held(told_.collective, told_.topology->nodes());
        Round round = 0;
        for (const std::uint32_t i : in_order_of(rounds, messages_)) {
            if (rounds[i] != round) held.end_round();
            round = rounds[i];
            const LooseMessage& message = messages_[i];
            const RankedStep& send = text_.steps[sends_[i]];
            const PacketSet packets = follow ? held.all_of(message.from)
                                      : told_.collective.promises()
                                          ? said_packets(send)
                                          : contents_packets(std::max<std::uint64_t>(send.bytes, 1));
            told_.schedule.add(round, {message.from, message.to, message.route, packets.blocks()});
            held.came(message.to, packets.blocks());
        }
    }

    /// A comment before the step says it, so columns are the comment's.
    [[nodiscard]] PacketSet said_packets(const RankedStep& step) const {
        LineCursor cursor(step.packets, text_.what, step.line);
        PacketSet packets;
        packets.add(read_packets(cursor, "", told_));
        return packets;
    }

    RankedSteps text_;
    const ScheduleContext& context_;
    const Refuse refuse_ = [this](const std::string& why) {
        throw RequestError(fmt::format("{} {}", text_.what, why));
    };
    ToldSchedule told_;
    bool own_rounds_ = false;
    std::vector<LooseMessage> messages_;
    std::vector<std::uint32_t> sends_;  ///< the step of each message
    std::vector<std::uint32_t> receives_;
};

}  // namespace

ToldSchedule schedule_of(RankedSteps steps, const ScheduleContext& context) {
    return StepsReader(std::move(steps), context).read();
}

std::vector<std::vector<std::size_t>> transfers_by_rank(const ToldSchedule& told, std::string_view form) {
    if (!told.schedule.silences().empty())
        throw RequestError(fmt::format("{} cannot say that rounds are silent on purpose; text and JSON can", form));
    std::vector<std::vector<std::size_t>> of_rank(told.topology->nodes());
    for (std::size_t i = 0; i < told.schedule.size(); ++i) {
        const Transfer transfer = told.schedule.transfer(i);
        (void)way_in_words(transfer, *told.topology);  // refuses what leads nowhere
        of_rank[transfer.from].push_back(i);
        of_rank[transfer.to].push_back(i);
    }
    return of_rank;
}

std::uint64_t bytes_of(const Transfer& transfer, const ToldSchedule& told) {
    const std::uint64_t segments = told.collective.segments(told.topology->nodes());
    const std::uint64_t packets =
        told.collective.folds() ? segments_in(transfer.packets, segments) : size_of(transfer.packets);
    return std::max<std::uint64_t>(packets * told.collective.packet_bytes, 1);
}

}  // namespace kport
