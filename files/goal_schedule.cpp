/// @file goal_schedule.cpp   Schedules in GOAL, the language of LogGOPSim.
#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "files/earliest_rounds.hpp"
#include "files/foreign_schedule.hpp"
#include "files/goal_text.hpp"
#include "files/transfer_words.hpp"

namespace kport {

namespace {

using goal::GoalText;
using goal::Kind;
using goal::own_words;
using goal::packets_words;
using goal::Step;

constexpr std::string_view tags_are_rounds = "tags are rounds";

/// From the text to a schedule.
class GoalReader {
  public:
    GoalReader(std::istream& in, const std::string& name, const ScheduleContext& context)
        : text_(in, name), context_(context) {
        text_.read();
    }

    ToldSchedule read() {
        read_own_words();
        match();
        find_order();
        std::vector<Round> rounds = own_rounds_ ? rounds_by_tag() : earliest();
        put_together(rounds);
        return std::move(told_);
    }

  private:
    void read_own_words() {
        told_.topology = context_.machine.topology;
        told_.collective = Collective::none();
        const Operation* operation = context_.operation ? &*context_.operation : nullptr;
        std::string root = context_.root.value_or("");
        for (const std::string& words : text_.own()) {
            if (words == tags_are_rounds) own_rounds_ = true;
            const auto space = words.find(' ');
            const std::string first = words.substr(0, space);
            if (first == "on" && told_.topology == nullptr) told_.topology = make_topology(words.substr(space + 1));
            for (const Operation& one : operations())
                if (one->name == first) {
                    if (operation == nullptr) operation = &one;
                    if (root.empty() && one->rooted != Rooted::no) root = words.substr(words.rfind(' ') + 1);
                }
        }
        if (told_.topology == nullptr) {
            told_.topology = make_topology(fmt::format("complete:{}", text_.ranks()));
            told_.remarks.emplace_back("the topology, which the file does not name, is a complete graph");
        }
        if (told_.topology->nodes() != text_.ranks())
            text_.lines().refuse(fmt::format("has {} ranks, and {} has {} nodes; want as many", text_.ranks(),
                                             told_.topology->spec(), told_.topology->nodes()));
        if (operation != nullptr) told_.collective = {*operation, 0, context_.packet_bytes};
        if (told_.collective.rooted() && !root.empty()) told_.collective.root = told_.topology->node(root);
    }

    /// As MPI does: the first receive takes the first send of its rank and tag. Receives of any rank come last.
    void match() {
        std::vector<Step>& steps = text_.steps();
        std::map<std::pair<NodeId, NodeId>, std::vector<std::uint32_t>> sent;  // by receiver and sender
        for (std::uint32_t i = 0; i < steps.size(); ++i)
            if (steps[i].kind == Kind::send) sent[{steps[i].peer, steps[i].rank}].push_back(i);
        bool any = false;
        for (const bool of_any : {false, true})
            for (std::uint32_t i = 0; i < steps.size(); ++i)
                if (steps[i].kind == Kind::receive && (steps[i].peer == no_node) == of_any) {
                    take_send_for(i, sent);
                    any = any || of_any;
                }
        for (const Step& step : steps)
            if (step.kind == Kind::send && step.message == Step::none)
                text_.refuse(step, fmt::format("rank {} never receives what rank {} sends here", step.peer, step.rank));
        if (any) told_.remarks.emplace_back("a receive from any rank takes the send of the lowest rank that is left");
    }

    void take_send_for(std::uint32_t receive, std::map<std::pair<NodeId, NodeId>, std::vector<std::uint32_t>>& sent) {
        Step& step = text_.steps()[receive];
        const bool of_any = step.peer == no_node;
        auto at = sent.lower_bound({step.rank, of_any ? 0 : step.peer});
        for (; at != sent.end() && at->first.first == step.rank && (of_any || at->first.second == step.peer); ++at) {
            auto& list = at->second;
            const auto found = std::ranges::find_if(list, [&](std::uint32_t send) {
                return !step.tag || !text_.steps()[send].tag || text_.steps()[send].tag == step.tag;
            });
            if (found == list.end()) continue;
            Step& send = text_.steps()[*found];
            send.message = step.message = static_cast<std::uint32_t>(messages_.size());
            messages_.push_back({send.rank, send.peer});
            sends_.push_back(*found);
            receives_.push_back(receive);
            list.erase(found);
            return;
        }
        text_.refuse(step, fmt::format("no send is left for this receive of rank {}", step.rank));
    }

    /// Which messages come before each: what its send and its receive require, through calculations.
    void find_order() {
        for (std::uint32_t i = 0; i < messages_.size(); ++i) {
            NodeId at = messages_[i].from;
            while (at != messages_[i].to) {
                messages_[i].route.push_back(told_.topology->route(at, messages_[i].to));
                at = told_.topology->across(at, messages_[i].route.back()).node;
            }
            std::set<std::uint32_t> after;
            for (const std::uint32_t step : {sends_[i], receives_[i]}) collect(step, after);
            if (after.contains(i)) text_.refuse(text_.steps()[sends_[i]], "the message requires itself");
            messages_[i].after.assign(after.begin(), after.end());
        }
        if (text_.has_starts_only())
            told_.remarks.emplace_back("'irequires' is read as 'requires': a message takes one round");
    }

    void collect(std::uint32_t step, std::set<std::uint32_t>& after) {
        std::vector<std::uint32_t> open = text_.steps()[step].after;
        std::set<std::uint32_t> calculations;
        while (!open.empty()) {
            const std::uint32_t next = open.back();
            open.pop_back();
            const Step& before = text_.steps()[next];
            if (before.message != Step::none)
                after.insert(before.message);
            else if (calculations.insert(next).second)
                open.insert(open.end(), before.after.begin(), before.after.end());
        }
    }

    [[nodiscard]] std::vector<Round> rounds_by_tag() const {
        std::vector<Round> rounds;
        for (const std::uint32_t send : sends_) {
            const Step& step = text_.steps()[send];
            const std::uint64_t tag = step.tag.value_or(0);
            if (tag == 0 || tag > ScheduleWriting::round_max)
                text_.refuse(step, fmt::format("tag {} is no round; want a whole number from 1 to {}", tag,
                                               ScheduleWriting::round_max));
            rounds.push_back(static_cast<Round>(tag));
        }
        return rounds;
    }

    [[nodiscard]] std::vector<Round> earliest() {
        Machine machine = context_.machine;
        machine.topology = told_.topology;
        told_.remarks.push_back(fmt::format("rounds are the earliest that a {} machine allows", machine.describe()));
        try {
            return earliest_rounds(messages_, machine);
        } catch (const RequestError& error) {
            text_.lines().refuse(fmt::format("cannot run: {}", error.what()));
        }
    }

    void put_together(const std::vector<Round>& rounds) {
        std::vector<std::uint32_t> order(messages_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return std::pair(rounds[i], messages_[i].from); });
        const bool named = told_.collective.promises();
        const bool said =
            std::ranges::all_of(sends_, [&](std::uint32_t i) { return !text_.steps()[i].packets.empty(); });
        const bool follow = named && !said && HeldByAll::follows(told_.collective);
        if (named && !said && !follow) told_.collective = Collective::none();
        if (!told_.collective.promises())
            told_.remarks.push_back(
                named
                    ? "it does not say which packets its messages carry: ports, channels, routes and rounds are "
                      "judged; "
                      "holding, NODUP, NOHO and delivery are not"
                    : "no operation is named: ports, channels, routes and rounds are judged; holding, NODUP, NOHO and "
                      "delivery are not");
        HeldByAll held(told_.collective, told_.topology->nodes());
        Round round = 0;
        for (const std::uint32_t i : order) {
            if (rounds[i] != round) held.end_round();
            round = rounds[i];
            const LooseMessage& message = messages_[i];
            const Step& send = text_.steps()[sends_[i]];
            const PacketSet packets = follow ? held.all_of(message.from)
                                      : told_.collective.promises()
                                          ? said_packets(send)
                                          : contents_packets(std::max<std::uint64_t>(send.bytes, 1));
            told_.schedule.add(round, {message.from, message.to, message.route, packets.blocks()});
            held.came(message.to, packets.blocks());
        }
    }

    /// A comment before the step says it, so columns are the comment's.
    [[nodiscard]] PacketSet said_packets(const Step& step) const {
        LineCursor cursor(step.packets, text_.lines().what(), step.line);
        PacketSet packets;
        packets.add(read_packets(cursor, "", told_));
        return packets;
    }

    GoalText text_;
    const ScheduleContext& context_;
    ToldSchedule told_;
    bool own_rounds_ = false;
    std::vector<LooseMessage> messages_;
    std::vector<std::uint32_t> sends_;  ///< the step of each message
    std::vector<std::uint32_t> receives_;
};

}  // namespace

bool begins_goal(std::string_view head) {
    return head.find("num_ranks") != std::string_view::npos && !head.starts_with('{');
}

ToldSchedule read_goal(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return GoalReader(in, name, context).read();
}

void write_goal(std::ostream& out, const ToldSchedule& told) {
    const NodeId nodes = told.topology->nodes();
    if (!told.schedule.silences().empty())
        throw RequestError("GOAL cannot say that rounds are silent on purpose; text and JSON can");
    out << "num_ranks " << nodes << '\n';
    if (told.collective.promises() && !told.collective.is_own())
        for (const std::string& line : header_in_words(told)) out << own_words << line << '\n';
    out << own_words << tags_are_rounds << '\n';
    std::vector<std::vector<std::size_t>> of_rank(nodes);
    for (std::size_t i = 0; i < told.schedule.size(); ++i) {
        const Transfer transfer = told.schedule.transfer(i);
        (void)way_in_words(transfer, *told.topology);  // refuses what leads nowhere
        of_rank[transfer.from].push_back(i);
        of_rank[transfer.to].push_back(i);
    }
    for (NodeId rank = 0; rank < nodes; ++rank) {
        out << fmt::format("\nrank {} {{\n", rank);
        std::vector<std::string> before;  // labels of the last round in which the rank moved something
        std::vector<std::string> now;
        Round round = 0;
        for (const std::size_t i : of_rank[rank]) {
            const Transfer transfer = told.schedule.transfer(i);
            if (told.schedule.round(i) != round) {
                round = told.schedule.round(i);
                if (!now.empty()) before = std::exchange(now, {});
            }
            const bool sends = transfer.from == rank;
            const std::string label = fmt::format("{}{}", sends ? 's' : 'r', i);
            const std::uint64_t bytes =
                std::max<std::uint64_t>(size_of(transfer.packets) * told.collective.packet_bytes, 1);
            if (sends && told.collective.promises())
                out << packets_words << packets_in_words(transfer.packets, told) << '\n';
            out << fmt::format("{}: {} {}b {} {} tag {}\n", label, sends ? "send" : "recv", bytes,
                               sends ? "to" : "from", sends ? transfer.to : transfer.from, round);
            for (const std::string& earlier : before) out << label << " requires " << earlier << '\n';
            now.push_back(label);
        }
        out << "}\n";
    }
}

}  // namespace kport
