/// @file simgrid_trace.cpp   Schedules as SimGrid's time-independent traces: what each rank sends, receives and waits for.
#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "files/foreign_schedule.hpp"
#include "files/lines.hpp"
#include "files/ranked_steps.hpp"
#include "files/transfer_words.hpp"

namespace kport {

namespace {

constexpr std::string_view trace_words = "# kport: ";
constexpr std::string_view trace_packets = "# @pkt ";

/// Actions that move nothing between two ranks.
constexpr std::array<std::string_view, 9> silent_actions{"init",      "finalize", "compute",    "sleep", "location",
                                                         "comm_size", "comm_dup", "comm_split", "test"};
constexpr std::array<std::string_view, 8> paired_actions{"send", "isend",   "recv",     "irecv",
                                                         "wait", "waitall", "sendRecv", "barrier"};

/// What has gone on in a rank so far.
struct RankSoFar {
    std::vector<std::uint32_t> ended = {};      ///< steps that end before whatever comes next
    std::vector<std::uint32_t> under_way = {};  ///< steps that nobody has waited for
};

class TraceReader {
  public:
    TraceReader(std::istream& in, const std::string& name) : lines_(in, fmt::format("schedule {}", quoted(name))) {}

    RankedSteps read() {
        while (lines_.next()) {
            const std::string_view text = lines_.text();
            if (text.starts_with(trace_words)) read_.own.emplace_back(text.substr(trace_words.size()));
            if (text.starts_with(trace_packets)) packets_ = text.substr(trace_packets.size());
            LineCursor cursor(lines_);
            if (!text.starts_with('#') && !cursor.at_end()) read_line(cursor);
        }
        read_.what = lines_.what();
        if (passes_barrier_) read_.judgement.notes.emplace_back("barriers are left out: rounds may be earlier than they allow");
        return std::move(read_);
    }

  private:
    static constexpr std::uint64_t ranks_max = std::uint64_t{1} << 24;

    NodeId rank(LineCursor& cursor) {
        const NodeId rank = cursor.number("a rank", 0, ranks_max - 1);
        read_.ranks = std::max(read_.ranks, rank + 1);
        return rank;
    }

    void read_line(LineCursor& cursor) {
        rank_ = rank(cursor);
        const auto take = [&](const auto& words) {
            return std::ranges::find_if(words, [&](std::string_view word) { return cursor.take_word(word); });
        };
        if (take(silent_actions) != silent_actions.end()) return;
        const auto action = take(paired_actions);
        if (action == paired_actions.end())
            cursor.refuse_here("an action of two ranks", fmt::format("one of {}", fmt::join(paired_actions, ", ")));
        act(cursor, *action);
    }

    void act(LineCursor& cursor, std::string_view action) {
        RankSoFar& so_far = so_far_[rank_];
        if (action == "waitall") {
            so_far.ended.insert(so_far.ended.end(), so_far.under_way.begin(), so_far.under_way.end());
            so_far.under_way.clear();
        } else if (action == "wait") {
            wait(cursor, so_far);
        } else if (action == "barrier") {
            passes_barrier_ = true;
        } else if (action == "sendRecv") {
            const std::uint64_t sent = cursor.number("a number of elements", 0, count_max);
            const NodeId to = rank(cursor);
            const std::uint64_t received = cursor.number("a number of elements", 0, count_max);
            const std::uint32_t send = add(RankedStep::Kind::send, to, 0, sent);
            const std::uint32_t receive = add(RankedStep::Kind::receive, rank(cursor), 0, received);
            so_far.ended = {send, receive};
        } else {
            const bool sends = action.ends_with("send");
            const NodeId peer = rank(cursor);
            const std::uint64_t tag = cursor.number("a tag", 0, count_max);
            const std::uint64_t size = cursor.number("a number of elements", 0, count_max);
            const std::uint32_t step =
                add(sends ? RankedStep::Kind::send : RankedStep::Kind::receive, peer, tag, size);
            if (action.starts_with('i'))
                so_far.under_way.push_back(step);
            else
                so_far.ended = {step};
        }
    }

    std::uint32_t add(RankedStep::Kind kind, NodeId peer, std::uint64_t tag,
                      std::uint64_t size) {
        RankedStep step{kind, rank_, peer, size, tag, lines_.number()};
        step.after = so_far_[rank_].ended;
        if (kind == RankedStep::Kind::send) step.packets = std::exchange(packets_, {});
        read_.steps.push_back(std::move(step));
        return static_cast<std::uint32_t>(read_.steps.size() - 1);
    }

    /// wait SOURCE TARGET TAG
    void wait(LineCursor& cursor, RankSoFar& so_far) {
        const NodeId from = rank(cursor);
        const NodeId to = rank(cursor);
        const std::uint64_t tag = cursor.number("a tag", 0, count_max);
        const auto found = std::ranges::find_if(so_far.under_way, [&](std::uint32_t i) {
            const RankedStep& step = read_.steps[i];
            return step.tag == tag && (step.kind == RankedStep::Kind::send ? step.rank == from && step.peer == to
                                                                           : step.peer == from && step.rank == to);
        });
        if (found == so_far.under_way.end())
            cursor.refuse(
                fmt::format("rank {} waits for a message from {} to {} with tag {}, of which nothing is under way",
                            rank_, from, to, tag));
        so_far.ended.push_back(*found);
        so_far.under_way.erase(found);
    }

    Lines lines_;
    RankedSteps read_;
    NodeId rank_ = 0;
    std::map<NodeId, RankSoFar> so_far_;
    std::string packets_;
    bool passes_barrier_ = false;
};

}  // namespace

bool begins_simgrid(std::string_view head) {
    const std::size_t digits = head.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || head[digits] != ' ') return false;
    const std::string_view word = head.substr(digits + 1);
    const auto is_word = [&](std::string_view action) {
        return word.starts_with(action) && (word.size() == action.size() || word[action.size()] == ' ' ||
                                            word[action.size()] == '\n' || word[action.size()] == '\r');
    };
    return std::ranges::any_of(paired_actions, is_word) || std::ranges::any_of(silent_actions, is_word);
}

ToldSchedule read_simgrid(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return schedule_of(TraceReader(in, name).read(), context);
}

void write_simgrid(std::ostream& out, const ToldSchedule& told) {
    const std::vector<std::vector<std::size_t>> of_rank = transfers_by_rank(told, "SimGrid's trace");
    if (told.collective.promises() && !told.collective.is_own())
        for (const std::string& line : header_in_words(told)) out << trace_words << line << '\n';
    out << trace_words << tags_are_rounds << '\n';
    for (NodeId rank = 0; rank < of_rank.size(); ++rank) {
        out << rank << " init\n";
        for (std::size_t at = 0; at < of_rank[rank].size(); ++at) {
            const std::size_t i = of_rank[rank][at];
            const Transfer transfer = told.schedule.transfer(i);
            const Round round = told.schedule.round(i);
            const bool sends = transfer.from == rank;
            if (sends && told.collective.promises())
                out << trace_packets << packets_in_words(transfer.packets, told) << '\n';
            out << fmt::format("{} {} {} {} {}\n", rank, sends ? "isend" : "irecv", sends ? transfer.to : transfer.from,
                               round, bytes_of(transfer, told));
            if (at + 1 == of_rank[rank].size() || told.schedule.round(of_rank[rank][at + 1]) != round)
                out << rank << " waitall\n";
        }
        out << rank << " finalize\n";
    }
}

}  // namespace kport
