#include "app/files/ranked_steps.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/files/fault_list.hpp"
#include "app/files/ranked.hpp"
#include "app/files/step_contents.hpp"
#include "app/files/step_order.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

/// Builds a schedule from the steps.
class StepsReader {
  public:
    StepsReader(RankedSteps text, const ScheduleContext& context) : text_(std::move(text)), context_(context) {}

    ToldSchedule read() {
        read_own_words();
        match();
        told_.judgement.judged = {"matching", "order"};
        told_.took_all_held = context_.all_held && !all_say_packets();
        judge_sizes();
        const StepOrder order(text_.steps, true);
        const std::optional<std::vector<EventId>> events = order.topological();
        if (!events) faults_.add(ScheduleFault::deadlock, order.cycle_in_words());
        if (!events || faults_.has(ScheduleFault::unmatched)) return with_faults();
        if (!StepOrder(text_.steps, false).topological())
            told_.remarks.emplace_back("it hangs where sends wait for their receives; messages are buffered here");
        judge_sizes_in_other_orders(order);
        StepContents contents(text_.steps, order, told_.collective, told_.topology->nodes(), follows());
        judge_contents(order, contents, *events);
        add_transfers(contents);
        if (own_rounds_ && !stand_judged(told_, context_)) {
            own_rounds_ = false;
            add_transfers(contents);
        }
        return with_faults();
    }

  private:
    [[noreturn]] void refuse_at(const RankedStep& step, const std::string& why) const {
        throw RequestError(fmt::format("{}: line {}: {}", text_.what, step.line, why));
    }

    void read_own_words() {
        own_rounds_ = std::ranges::find(text_.own, tags_are_rounds) != text_.own.end();
        told_ = told_of_ranks(text_.ranks, text_.own, context_, refuse_);
        if (told_.collective.promises()) read_members();
        if (context_.all_held && !may_carry_all_held(told_.collective.operation))
            refuse_(no_all_held_of(told_.collective.operation));
        told_.remarks.insert(told_.remarks.end(), text_.remarks.begin(), text_.remarks.end());
        std::vector<NotJudged>& not_judged = told_.judgement.not_judged;
        not_judged.insert(not_judged.end(), text_.not_judged.begin(), text_.not_judged.end());
    }

    void read_members() {
        constexpr std::string_view word = "members ";
        std::string members;
        for (const std::string& line : text_.own)
            if (line.starts_with(word)) members = line.substr(word.size());
        try {
            put_members(told_.collective, context_, members, *told_.topology);
        } catch (const RequestError& error) {
            refuse_(error.what());
        }
    }

    ToldSchedule with_faults() {
        told_.judgement.findings = faults_.take();
        return std::move(told_);
    }

    void match() {
        StepMatching matching = match_steps(text_.steps);
        std::ranges::move(matching.remarks, std::back_inserter(told_.remarks));
        std::ranges::move(matching.not_judged, std::back_inserter(told_.judgement.not_judged));
        for (const RankedStep& step : text_.steps) {
            if (step.kind == RankedStep::Kind::calculation || step.partner != RankedStep::none) continue;
            const std::string tag = step.tag ? fmt::format(", tag {}", *step.tag) : "";
            faults_.add(ScheduleFault::unmatched,
                        step.kind == RankedStep::Kind::send
                            ? fmt::format("rank {} never receives what {} sends{}", step.peer, in_words(step), tag)
                            : fmt::format("no send is left for {}{}", in_words(step), tag));
        }
    }

    void judge_sizes() {
        for (std::uint32_t i = 0; i < text_.steps.size(); ++i) {
            const RankedStep& step = text_.steps[i];
            if (step.kind != RankedStep::Kind::receive || step.partner == RankedStep::none) continue;
            const RankedStep& send = text_.steps[step.partner];
            if (too_long(step.partner, i))
                faults_.add(ScheduleFault::size, fmt::format("{} takes {} bytes, and {} sends {}", in_words(step),
                                                             step.bytes, in_words(send), send.bytes));
        }
    }

    using Pairs = std::vector<std::uint32_t>;  ///< the sends of matched pairs

    /// Unordered messages of two ranks with one tag may match other receives than in the executed order.
    void judge_sizes_in_other_orders(const StepOrder& order) {
        std::map<std::tuple<NodeId, NodeId, std::uint64_t>, Pairs> pairs;
        for (std::uint32_t i = 0; i < text_.steps.size(); ++i) {
            const RankedStep& send = text_.steps[i];
            if (send.kind != RankedStep::Kind::send || !send.tag) continue;
            const RankedStep& receive = text_.steps[send.partner];
            if (receive.tag && receive.peer != no_node) pairs[{send.peer, send.rank, *send.tag}].push_back(i);
        }
        for (const auto& [channel, sends] : pairs)
            if (!all_fit_all(sends)) judge_sizes_of(sends, order);
    }

    [[nodiscard]] bool too_long(std::uint32_t send, std::uint32_t receive) const {
        return !text_.steps[receive].takes_any_size && text_.steps[send].bytes > text_.steps[receive].bytes;
    }

    [[nodiscard]] bool all_fit_all(const Pairs& sends) const {
        std::uint64_t longest = 0;
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for (const std::uint32_t send : sends) {
            const RankedStep& receive = text_.steps[text_.steps[send].partner];
            longest = std::max(longest, text_.steps[send].bytes);
            if (!receive.takes_any_size) least = std::min(least, receive.bytes);
        }
        return longest <= least;
    }

    /// A send with `before` others before it and `after` after it may be at any position between, and so may a receive.
    void judge_sizes_of(const Pairs& sends, const StepOrder& order) {
        Pairs receives;
        for (const std::uint32_t send : sends) receives.push_back(text_.steps[send].partner);
        const auto places = [&](const Pairs& steps) {
            std::vector<std::pair<std::size_t, std::size_t>> found;
            for (const std::uint32_t step : steps) {
                const std::vector<bool> before = order.all_before(StepOrder::start_of(step));
                const std::vector<bool> after = order.all_after(StepOrder::start_of(step));
                const auto marked = [&](const std::vector<bool>& events) {
                    return static_cast<std::size_t>(std::ranges::count_if(
                        steps, [&](std::uint32_t one) { return one != step && events[StepOrder::start_of(one)]; }));
                };
                found.emplace_back(marked(before), steps.size() - 1 - marked(after));
            }
            return found;
        };
        const auto sent_at = places(sends);
        const auto received_at = places(receives);
        for (std::size_t i = 0; i < sends.size(); ++i)
            for (std::size_t j = 0; j < receives.size(); ++j) {
                const bool meet =
                    sent_at[i].first <= received_at[j].second && received_at[j].first <= sent_at[i].second;
                if (i == j || !meet || !too_long(sends[i], receives[j])) continue;
                const RankedStep& send = text_.steps[sends[i]];
                const RankedStep& receive = text_.steps[receives[j]];
                faults_.add(ScheduleFault::size,
                            fmt::format("{} takes {} bytes, and {} sends {}; no order keeps them apart",
                                        in_words(receive), receive.bytes, in_words(send), send.bytes));
                break;
            }
    }

    /// Whether the contents of messages follow from the operation if comments do not give them.
    [[nodiscard]] bool follows() const { return context_.all_held || StepContents::follows(told_.collective); }

    [[nodiscard]] bool all_say_packets() const {
        return std::ranges::all_of(text_.steps, [](const RankedStep& step) {
            return step.kind != RankedStep::Kind::send || step.rank == step.peer || !step.packets.empty();
        });
    }

    void judge_contents(const StepOrder& order, StepContents& contents, const std::vector<EventId>& events) {
        const Collective& collective = told_.collective;
        if (!collective.promises() || !text_.not_judged.empty()) return;
        said_ = all_say_packets() && std::ranges::any_of(text_.steps, [](const RankedStep& step) {
                    return step.kind == RankedStep::Kind::send;
                });
        if (said_ && !collective.signals()) {
            for (std::uint32_t i = 0; i < text_.steps.size(); ++i)
                if (text_.steps[i].kind == RankedStep::Kind::send && !text_.steps[i].packets.empty())
                    contents.say(i, said_packets(text_.steps[i]));
            contents.judge_said(events, faults_);
            judge_receives_of_any(order, contents);
            return;
        }
        follow_ = follows();
        if (follow_) {
            contents.judge(events, faults_);
            judge_receives_of_any(order, contents);
            told_.judgement.judged.emplace_back("delivery");
            // A message that is only a signal has no packet, and the auditor judges no receipt of it.
            const bool has_signals = !collective.signals() && contents.has_signals();
            if (has_signals) contents.judge_receipts(faults_);
            told_.judgement.contents_judged = collective.signals() || has_signals;
        } else {
            contents.judge_possible(faults_);
            told_.judgement.not_judged.push_back(
                {"delivery", fmt::format("the file does not say which packets a message carries{}",
                                         may_carry_all_held(collective.operation)
                                             ? "; --promise all-held: all that its sender holds"
                                             : "")});
        }
    }

    /// Reports receives from any rank that could swap their messages as not judged, if the messages carry different
    /// packets and other sends are affected.
    void judge_receives_of_any(const StepOrder& order, const StepContents& contents) {
        constexpr std::uint64_t work_max = std::uint64_t{1} << 27;
        const std::vector<RankedStep>& steps = text_.steps;
        std::map<NodeId, std::vector<std::uint32_t>> of_rank;
        std::map<NodeId, std::vector<std::uint32_t>> sends_of;
        std::uint64_t count = 0;
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            if (steps[i].kind == RankedStep::Kind::send) sends_of[steps[i].rank].push_back(i);
            if (steps[i].kind != RankedStep::Kind::receive || steps[i].peer != no_node) continue;
            of_rank[steps[i].rank].push_back(i);
            ++count;
        }
        const auto not_judge = [&](std::uint64_t line) {
            told_.judgement.not_judged.push_back(
                {"matching",
                 fmt::format("the receive from any rank at line {} could take messages of several ranks, with "
                             "different contents",
                             line)});
        };
        for (const auto& [rank, receives] : of_rank) {
            if (receives.size() < 2 || sends_of[rank].empty()) continue;
            if (count * steps.size() > work_max) return not_judge(steps[receives.front()].line);
            const auto sends_behind = [&](std::uint32_t receive) {
                const std::vector<bool> after = order.all_after(StepOrder::end_of(receive));
                std::vector<std::uint32_t> behind;
                for (const std::uint32_t send : sends_of[rank])
                    if (after[StepOrder::start_of(send)]) behind.push_back(send);
                return behind;
            };
            const std::uint32_t first = receives.front();
            const std::vector<std::uint32_t> behind_first = sends_behind(first);
            for (const std::uint32_t other : receives) {
                const PacketSet& one = contents.carried(steps[first].partner);
                const PacketSet& two = contents.carried(steps[other].partner);
                const bool tags_fit = !steps[first].tag || !steps[other].tag || steps[first].tag == steps[other].tag;
                const bool same = one.covers(two.blocks()) && two.covers(one.blocks());
                if (same || !tags_fit || sends_behind(other) == behind_first) continue;
                not_judge(steps[other].line);
                break;
            }
        }
    }

    void add_transfers(const StepContents& contents) {
        find_messages();
        std::vector<Round> rounds =
            own_rounds_ ? rounds_by_tag() : earliest_rounds_for(told_, messages_, context_, refuse_);
        messages_.resize(sends_.size());
        rounds.resize(sends_.size());
        put_together(rounds, contents);
    }

    /// Collects the messages of the steps, and a point for the end of every other step and of every receive.
    void find_messages() {
        sends_.clear();
        messages_.clear();
        std::vector<RankedStep>& steps = text_.steps;
        std::vector<std::uint32_t> message(steps.size(), RankedStep::none);
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            if (steps[i].kind != RankedStep::Kind::send || steps[i].peer == steps[i].rank) continue;
            message[i] = static_cast<std::uint32_t>(sends_.size());
            sends_.push_back(i);
            messages_.push_back(
                {steps[i].rank, steps[i].peer, route_between(*told_.topology, steps[i].rank, steps[i].peer)});
        }
        if (own_rounds_) return;
        std::vector<std::uint32_t> start(steps.size());
        std::vector<std::uint32_t> end(steps.size());
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            const auto add_point = [&] {
                messages_.emplace_back();
                return static_cast<std::uint32_t>(messages_.size() - 1);
            };
            const bool sends = message[i] != RankedStep::none;
            start[i] = sends ? message[i] : add_point();
            end[i] = sends ? message[i] : add_point();
        }
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            for (const std::uint32_t before : steps[i].after) messages_[start[i]].after.push_back(end[before]);
            for (const std::uint32_t before : steps[i].after_start)
                messages_[start[i]].not_before.push_back(start[before]);
            if (end[i] != start[i]) messages_[end[i]].after.push_back(start[i]);
            if (steps[i].kind == RankedStep::Kind::receive) messages_[end[i]].after.push_back(end[steps[i].partner]);
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

    void put_together(const std::vector<Round>& rounds, const StepContents& contents) {
        if (!said_ && !follow_) {
            if (told_.collective.promises())
                told_.remarks.push_back(fmt::format("of the {} that is promised only order and matching are judged",
                                                    name(told_.collective.operation)));
            told_.collective = Collective::none();
        }
        for (const std::uint32_t i : in_order_of(rounds, messages_)) {
            const LooseMessage& message = messages_[i];
            told_.schedule.add(rounds[i],
                               {message.from, message.to, message.route, packets_of(sends_[i], contents).blocks()});
        }
    }

    [[nodiscard]] PacketSet packets_of(std::uint32_t send, const StepContents& contents) {
        const RankedStep& step = text_.steps[send];
        if (said_) return said_packets(step);
        if (!follow_) return contents_packets(std::clamp<std::uint64_t>(step.bytes, 1, contents_bytes_max));
        if (told_.collective.signals()) return PacketBlock{};
        PacketSet carried = result_or(contents.carried(send), told_.collective, told_.topology->nodes());
        if (carried.empty()) return PacketBlock{};  // a message that is only a signal
        return carried;
    }

    /// Packets given by a comment before the step, so columns are the comment's.
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
    FaultList faults_ = text_.faults;
    bool own_rounds_ = false;
    bool said_ = false;                   ///< comments give the contents of each message
    bool follow_ = false;                 ///< the contents of messages follow from the operation
    std::vector<LooseMessage> messages_;  ///< messages, then points
    std::vector<std::uint32_t> sends_;    ///< the step of each message
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
        (void)way_in_words(transfer, *told.topology);  // refuses routes that lead nowhere
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
