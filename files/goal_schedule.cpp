/// @file goal_schedule.cpp   Schedules in GOAL, the language of LogGOPSim.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "files/earliest_rounds.hpp"
#include "files/foreign_schedule.hpp"
#include "files/transfer_words.hpp"

namespace kport {

namespace {

constexpr std::string_view own_words = "// kport: ";
constexpr std::string_view tags_are_rounds = "tags are rounds";
constexpr std::string_view packets_words = "// @pkt ";

enum class Kind : std::uint8_t { send, receive, calculation };

/// An operation of a rank.
struct Step {
    Kind kind = Kind::calculation;
    NodeId rank = 0;
    NodeId peer = no_node;  ///< no_node: any
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> tag = 0;  ///< nothing: any
    std::uint64_t line = 0;
    std::string packets = {};               ///< as a comment says them; empty: it does not
    std::vector<std::uint32_t> after = {};  ///< steps of the same rank
    std::uint32_t message = none;

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

/// The text: ranks, their steps and what they require. Read more freely than LogGOPSim does: comments anywhere, options and
/// ranks in any order, labels before they are given.
class GoalText {
  public:
    GoalText(std::istream& in, const std::string& name) : lines_(in, fmt::format("schedule {}", quoted(name))) {}

    void read() {
        while (lines_.next()) {
            LineCursor cursor(lines_);
            if (lines_.text().starts_with(own_words)) own_.emplace_back(lines_.text().substr(own_words.size()));
            if (!ends(cursor)) read_line(cursor);
        }
        if (ranks_ == 0) lines_.refuse("does not say how many ranks there are; want 'num_ranks 4' first");
        if (inside_) lines_.refuse(fmt::format("ends inside rank {}; want '}}'", rank_));
    }

    [[nodiscard]] NodeId ranks() const { return ranks_; }
    [[nodiscard]] std::vector<Step>& steps() { return steps_; }
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
    /// What kport's own comments say.
    [[nodiscard]] const std::vector<std::string>& own() const { return own_; }
    [[nodiscard]] const Lines& lines() const { return lines_; }
    [[nodiscard]] bool has_starts_only() const { return has_starts_only_; }

    [[noreturn]] void refuse(const Step& step, const std::string& why) const {
        throw RequestError(fmt::format("{}, line {}: {}", lines_.what(), step.line, why));
    }

  private:
    /// The end of the line, but for comments.
    [[nodiscard]] bool ends(LineCursor& cursor) {
        while (!cursor.at_end()) {
            if (!in_comment_) {
                if (cursor.rest().starts_with("//")) {
                    note_packets(cursor.rest());
                    return true;
                }
                if (!cursor.take("/*")) return false;
            }
            const std::size_t end = cursor.rest().find("*/");
            in_comment_ = end == std::string_view::npos;
            if (in_comment_) return true;
            cursor.forward(end + 2);
        }
        return true;
    }

    void note_packets(std::string_view comment) {
        if (comment.starts_with(packets_words)) packets_ = comment.substr(packets_words.size());
    }

    void read_line(LineCursor& cursor) {
        constexpr std::uint64_t ranks_max = std::uint64_t{1} << 24;
        if (cursor.take_word("num_ranks")) {
            if (ranks_ != 0) cursor.refuse("a second 'num_ranks'; want one");
            ranks_ = cursor.number("a number of ranks", 1, ranks_max);
            seen_.resize(ranks_);
        } else if (ranks_ == 0) {
            cursor.refuse_here("", "'num_ranks 4' first");
        } else if (!inside_) {
            begin_rank(cursor);
        } else if (cursor.take("}")) {
            end_rank();
        } else {
            read_step(cursor);
        }
        if (!ends(cursor)) cursor.refuse_here("", "the end of the line");
    }

    void begin_rank(LineCursor& cursor) {
        if (!cursor.take_word("rank")) cursor.refuse_here("", "'rank 0 {'");
        rank_ = cursor.number("a rank", 0, ranks_ - 1);
        if (seen_[rank_]) cursor.refuse(fmt::format("rank {} stands here twice; want it once", rank_));
        seen_[rank_] = true;
        cursor.want("{", "the rank");
        inside_ = true;
        labels_.clear();
        required_.clear();
        packets_.clear();
    }

    void end_rank() {
        inside_ = false;
        for (const Required& one : required_) {
            const auto after = labels_.find(one.label);
            const auto before = labels_.find(one.needs);
            for (const auto& [found, label] : {std::pair(after, one.label), std::pair(before, one.needs)})
                if (found == labels_.end())
                    throw RequestError(fmt::format("{}, line {}: no operation of rank {} has the label {}",
                                                   lines_.what(), one.line, rank_, quoted(label)));
            steps_[after->second].after.push_back(before->second);
        }
    }

    void read_step(LineCursor& cursor) {
        std::string label;
        if (!is_operation(cursor)) {
            label = cursor.until(" \t:");
            if (!cursor.take(":")) {
                const bool starts = cursor.take_word("irequires");
                if (!starts && !cursor.take_word("requires"))
                    cursor.refuse_here("", "'send', 'recv', 'calc', a label with ':', or 'requires'");
                has_starts_only_ = has_starts_only_ || starts;
                (void)cursor.at_end();
                required_.push_back({label, std::string(cursor.until(" \t/")), lines_.number()});
                return;
            }
        }
        if (!label.empty() && !labels_.emplace(label, steps_.size()).second)
            cursor.refuse(fmt::format("rank {} has the label {} twice", rank_, quoted(label)));
        read_operation(cursor);
    }

    [[nodiscard]] static bool is_operation(LineCursor& cursor) {
        LineCursor copy = cursor;
        return copy.take_word("send") || copy.take_word("recv") || copy.take_word("calc");
    }

    void read_operation(LineCursor& cursor) {
        Step step;
        step.rank = rank_;
        step.line = lines_.number();
        if (cursor.take_word("calc")) {
            (void)cursor.number("a number of nanoseconds", 0, count_max);
        } else {
            step.kind = cursor.take_word("send") ? Kind::send : Kind::receive;
            if (step.kind == Kind::receive && !cursor.take_word("recv"))
                cursor.refuse_here("", "'send', 'recv' or 'calc'");
            step.bytes = cursor.number("a number of bytes", 0, count_max);
            cursor.want("b", "the bytes");
            cursor.want(step.kind == Kind::send ? "to" : "from", "the bytes");
            if (step.kind == Kind::receive && cursor.take("-1"))
                step.peer = no_node;
            else
                step.peer = cursor.number("a rank", 0, ranks_ - 1);
            if (step.peer == rank_) cursor.refuse(fmt::format("rank {} sends to itself; want two ranks", rank_));
        }
        while (!ends(cursor)) read_option(cursor, step);
        step.packets = std::exchange(packets_, {});
        steps_.push_back(std::move(step));
    }

    static void read_option(LineCursor& cursor, Step& step) {
        if (cursor.take_word("tag")) {
            if (cursor.take("-1"))
                step.tag.reset();
            else
                step.tag = cursor.number("a tag", 0, count_max);
        } else if (cursor.take_word("cpu") || cursor.take_word("nic")) {
            (void)cursor.number("a number", 0, 255);
        } else {
            cursor.refuse_here("", "'tag', 'cpu' or 'nic'");
        }
    }

    struct Required {
        std::string label;
        std::string needs;
        std::uint64_t line;
    };

    Lines lines_;
    NodeId ranks_ = 0;
    std::vector<bool> seen_;
    bool inside_ = false;
    bool in_comment_ = false;
    bool has_starts_only_ = false;
    NodeId rank_ = 0;
    std::string packets_;
    std::map<std::string, std::uint32_t, std::less<>> labels_;
    std::vector<Required> required_;
    std::vector<Step> steps_;
    std::vector<std::string> own_;
};

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
            held.came(message.to, packets);
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
