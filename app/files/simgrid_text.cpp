#include "app/files/simgrid_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/foreign_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::simgrid {

namespace {

/// Collective actions, whose messages are not in the trace: the least and the largest number of words after the name;
/// which word, from 0, is a root; and from which on they are datatypes; 0: none.
struct SilentAction {
    std::string_view name;
    std::size_t least;
    std::size_t most;
    std::size_t root = 0;
    std::size_t types = 0;
};
constexpr std::array<SilentAction, 8> silent_actions{{{"init", 0, 1},
                                                      {"finalize", 0, 0},
                                                      {"compute", 1, 1},
                                                      {"sleep", 1, 1},
                                                      {"location", 2, 2},
                                                      {"comm_size", 1, 1},
                                                      {"comm_dup", 0, 1},
                                                      {"comm_split", 0, 3}}};
/// All such actions; the words are numbers.
constexpr std::array<SilentAction, 11> collective_actions{{{"bcast", 1, 3, 1, 2},
                                                           {"reduce", 2, 4, 2, 3},
                                                           {"allreduce", 2, 3, 0, 2},
                                                           {"alltoall", 2, 4, 0, 2},
                                                           {"alltoallv", 4, 1U << 24},
                                                           {"gather", 2, 5, 2, 3},
                                                           {"gatherv", 2, 1U << 24},
                                                           {"allgather", 2, 4, 0, 2},
                                                           {"allgatherv", 2, 1U << 24},
                                                           {"scatter", 2, 5, 2, 3},
                                                           {"scatterv", 2, 1U << 24}}};
constexpr SilentAction reduce_scatter{"reducescatter", 2, 1U << 24};

constexpr std::array<std::string_view, 29> all_actions{
    "send",       "isend",      "recv",     "irecv",     "wait",         "waitall",   "test",      "sendRecv",
    "barrier",    "init",       "finalize", "compute",   "sleep",        "location",  "comm_size", "comm_dup",
    "comm_split", "bcast",      "reduce",   "allreduce", "alltoall",     "alltoallv", "gather",    "gatherv",
    "allgather",  "allgatherv", "scatter",  "scatterv",  "reducescatter"};

/// Bytes of datatypes by number; 0: none.
constexpr std::array<std::uint8_t, 38> bytes_of_types{8, 4, 1, 2, 8, 4, 1, 8,  1,  1, 2, 4, 8,  8,  16, 4, 1, 1,  2,
                                                      4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8, 16, 16, 8,  8, 8, 16, 16};

constexpr std::string_view any_rank = "-555";
constexpr std::string_view any_tag = "-444";

std::string_view word(LineCursor& cursor) {
    (void)cursor.at_end();
    return cursor.until(" \t");
}

/// Throws RequestError unless a blank ends the word.
void want_blank(const LineCursor& cursor, std::string_view what) {
    if (cursor.peek() != ' ' && cursor.peek() != '\t' && cursor.peek() != '\0')
        cursor.refuse_here("", fmt::format("a blank behind {}", what));
}

std::uint64_t whole(LineCursor& cursor, std::string_view what, std::uint64_t most) {
    const std::uint64_t number = cursor.number(what, 0, most);
    want_blank(cursor, what);
    return number;
}

bool take_any(LineCursor& cursor, std::string_view any) {
    if (!cursor.take(any)) return false;
    want_blank(cursor, any);
    return true;
}

template <class Actions>
const SilentAction* found_in(const Actions& actions, std::string_view name) {
    const auto found = std::ranges::find(actions, name, &SilentAction::name);
    return found == actions.end() ? nullptr : &*found;
}

const SilentAction* collective_named(std::string_view name) {
    return name == reduce_scatter.name ? &reduce_scatter : found_in(collective_actions, name);
}

}  // namespace

std::span<const std::string_view> action_names() { return all_actions; }

std::filesystem::path file_beside(const std::string& index, std::string_view named) {
    return std::filesystem::path(index).parent_path() / std::filesystem::path(named);
}

std::vector<std::filesystem::path> files_in_folder(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

TraceText::TraceText(const std::string& name) : name_(name) { read_.what = fmt::format("schedule {}", quoted(name)); }

void TraceText::read(std::istream& in) {
    Lines lines(in, read_.what);
    read_lines(lines);
}

void TraceText::read_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw RequestError(fmt::format("{}: trace {} cannot be opened", read_.what, quoted(path.string())));
    Lines lines(file, fmt::format("schedule {}", quoted(path.string())));
    may_be_index_ = false;
    read_lines(lines);
}

void TraceText::read_lines(Lines& lines) {
    std::optional<bool> is_index;
    while (lines.next()) {
        const std::string_view text = lines.text();
        if (text.starts_with(own_words)) read_.own.emplace_back(text.substr(own_words.size()));
        if (text.starts_with(packets_words)) packets_ = text.substr(packets_words.size());
        LineCursor cursor(lines);
        if (text.starts_with('#') || cursor.at_end()) continue;
        if (!is_index) is_index = may_be_index_ && names_simgrid_files(name_, text);
        if (*is_index) {
            const std::filesystem::path named = file_beside(name_, word(cursor));
            std::error_code none;
            if (!std::filesystem::is_regular_file(named, none))
                cursor.refuse(1, fmt::format("names {}, which is no file; want a trace", quoted(named.string())));
            read_file(named);
            continue;
        }
        line_ = lines.number();
        rank_ = rank(cursor);
        read_.ranks = std::max(read_.ranks, rank_ + 1);
        const std::string_view action = word(cursor);
        read_action(cursor, action);
        if (!cursor.at_end()) cursor.refuse_here("", "the end of the line");
    }
}

NodeId TraceText::rank(LineCursor& cursor) {
    constexpr std::uint64_t ranks_max = std::uint64_t{1} << 24;
    return whole(cursor, "a rank", ranks_max - 1);
}

double TraceText::real(LineCursor& cursor, std::string_view what) {
    const std::size_t column = cursor.column();
    const std::string_view text = word(cursor);
    const std::optional<double> value = to_real(text);
    if (!value)
        cursor.refuse(column, fmt::format("{} is not {}; want a number, such as 1e6", quoted(std::string(text)), what));
    return *value;
}

std::uint64_t TraceText::bytes_of_type(LineCursor& cursor) {
    if (cursor.at_end()) return progress_[rank_].element_bytes;
    const std::uint64_t type = whole(cursor, "a datatype", bytes_of_types.size() - 1);
    return bytes_of_types.at(type);
}

std::uint64_t TraceText::bytes(LineCursor& cursor, double count, std::uint64_t each) {
    constexpr double elements_max = 9.0e18;
    if (count < 0 || count * static_cast<double>(each) > elements_max)
        cursor.refuse(fmt::format("{} elements of {} are no size; want a number from 0 to 9e18 bytes", count,
                                  counted(each, "byte")));
    return static_cast<std::uint64_t>(count) * each;
}

void TraceText::set_size(LineCursor& cursor, RankedStep& step, double count, std::uint64_t each) {
    step.takes_any_size = step.kind == RankedStep::Kind::receive && count < 1;
    step.bytes = step.takes_any_size ? 0 : bytes(cursor, count, each);
}

RankedStep TraceText::step(RankedStep::Kind kind) const {
    RankedStep step;
    step.kind = kind;
    step.rank = rank_;
    step.line = line_;
    return step;
}

std::uint32_t TraceText::add(RankedStep step) {
    if (step.kind == RankedStep::Kind::send) step.packets = std::exchange(packets_, {});
    if (step.peer != no_node) largest_peer_ = std::max(largest_peer_, step.peer);
    read_.steps.push_back(std::move(step));
    return static_cast<std::uint32_t>(read_.steps.size() - 1);
}

void TraceText::read_action(LineCursor& cursor, std::string_view action) {
    Progress& progress = progress_[rank_];
    if (action == "waitall") {
        progress.ended.insert(progress.ended.end(), progress.under_way.begin(), progress.under_way.end());
        progress.under_way.clear();
    } else if (action == "wait") {
        wait(cursor);
    } else if (action == "test") {
        progress.tested.insert(request(cursor));
    } else if (action == "barrier") {
        progress.calls.push_back({"barrier", line_});
        pass_barrier();
    } else if (action == "sendRecv") {
        send_and_receive(cursor);
    } else if (action == "send" || action == "isend" || action == "recv" || action == "irecv") {
        transfer(cursor, action);
    } else {
        const SilentAction* const collective = collective_named(action);
        const SilentAction* const known = collective != nullptr ? collective : found_in(silent_actions, action);
        if (known == nullptr)
            cursor.refuse(1, fmt::format("{} is no action of a trace; want one of {}", quoted(std::string(action)),
                                         fmt::join(all_actions, ", ")));
        std::size_t count = 0;
        for (; !cursor.at_end(); ++count) {
            const bool is_number = collective != nullptr || action == "compute" || action == "sleep";
            if (known->root > 0 && count == known->root)
                largest_peer_ = std::max(largest_peer_, rank(cursor));
            else if (known->types > 0 && count >= known->types)
                (void)bytes_of_type(cursor);
            else if (is_number)
                (void)real(cursor, "a number");
            else
                (void)word(cursor);
        }
        if (count < known->least || count > known->most)
            cursor.refuse(fmt::format("{} has {} behind it; want from {} to {}", action, counted(count, "word"),
                                      known->least, known->most));
        if (action == "init") progress.element_bytes = count == 0 ? 1 : 8;
        if (collective != nullptr) progress.calls.push_back({known->name, line_});
    }
}

void TraceText::transfer(LineCursor& cursor, std::string_view action) {
    const bool sends = action.ends_with("send");
    RankedStep one = step(sends ? RankedStep::Kind::send : RankedStep::Kind::receive);
    if (sends || !take_any(cursor, any_rank)) one.peer = rank(cursor);
    if (sends || !take_any(cursor, any_tag))
        one.tag = whole(cursor, "a tag", count_max);
    else
        one.tag.reset();
    const double count = real(cursor, "a number of elements");
    const std::uint64_t each = bytes_of_type(cursor);
    set_size(cursor, one, count, each);
    one.after = progress_[rank_].ended;
    const std::uint32_t added = add(std::move(one));
    if (action.starts_with('i'))
        progress_[rank_].under_way.push_back(added);
    else
        progress_[rank_].ended = {added};
}

/// sendRecv SIZE TO SIZE FROM [TYPE TYPE]
void TraceText::send_and_receive(LineCursor& cursor) {
    RankedStep send = step(RankedStep::Kind::send);
    RankedStep receive = step(RankedStep::Kind::receive);
    const double sent = real(cursor, "a number of elements");
    send.peer = rank(cursor);
    const double received = real(cursor, "a number of elements");
    if (!take_any(cursor, any_rank)) receive.peer = rank(cursor);
    const bool has_types = !cursor.at_end();
    const std::uint64_t sent_each = bytes_of_type(cursor);
    if (has_types && cursor.at_end()) cursor.refuse("a second datatype is missing; want one for what is received");
    set_size(cursor, send, sent, sent_each);
    set_size(cursor, receive, received, bytes_of_type(cursor));
    send.after = receive.after = progress_[rank_].ended;
    const std::uint32_t first = add(std::move(send));
    progress_[rank_].ended = {first, add(std::move(receive))};
}

TraceText::Request TraceText::request(LineCursor& cursor) {
    const NodeId from = take_any(cursor, any_rank) ? no_node : rank(cursor);
    const NodeId to = rank(cursor);
    const std::uint64_t tag = take_any(cursor, any_tag) ? count_max : whole(cursor, "a tag", count_max - 1);
    return {from, to, tag};
}

/// wait SOURCE TARGET TAG
void TraceText::wait(LineCursor& cursor) {
    const Request wanted = request(cursor);
    const auto& [from, to, tag] = wanted;
    Progress& progress = progress_[rank_];
    const auto found = std::ranges::find_if(progress.under_way, [&](std::uint32_t i) {
        const RankedStep& one = read_.steps[i];
        if (one.tag && *one.tag != tag) return false;
        if (one.kind == RankedStep::Kind::send) return rank_ == from && one.peer == to;
        return rank_ == to && (one.peer == no_node || one.peer == from);
    });
    if (found == progress.under_way.end()) {
        if (progress.tested.contains(wanted)) return;
        cursor.refuse(
            fmt::format("rank {} waits for a message from {} to {} with tag {}, of which nothing is under way", rank_,
                        from, to, tag));
    }
    progress.ended.push_back(*found);
    progress.under_way.erase(found);
}

/// The rank arrives, all meet, and the rank goes on.
void TraceText::pass_barrier() {
    Progress& progress = progress_[rank_];
    if (progress.barriers == meetings_.size()) {
        RankedStep meeting = step(RankedStep::Kind::calculation);
        meeting.rank = no_node;
        meetings_.push_back(add(std::move(meeting)));
    }
    const std::uint32_t meeting = meetings_[progress.barriers++];
    RankedStep arrival = step(RankedStep::Kind::calculation);
    arrival.after = std::move(progress.ended);
    const std::uint32_t arrived = add(std::move(arrival));
    read_.steps[meeting].after.push_back(arrived);
    RankedStep departure = step(RankedStep::Kind::calculation);
    departure.after = {arrived, meeting};
    progress.ended = {add(std::move(departure))};
}

void TraceText::compare_calls() {
    if (progress_.empty()) return;
    const auto& [first, with] = *progress_.begin();
    const auto say = [&](const Progress& progress, std::size_t at) {
        return at < progress.calls.size()
                   ? fmt::format("calls {} (line {})", progress.calls[at].action, progress.calls[at].line)
                   : std::string("calls no further collective action");
    };
    for (const auto& [other, progress] : progress_) {
        const std::size_t most = std::max(with.calls.size(), progress.calls.size());
        for (std::size_t at = 0; at < most; ++at) {
            if (at < with.calls.size() && at < progress.calls.size() &&
                with.calls[at].action == progress.calls[at].action)
                continue;
            read_.faults.add(
                ScheduleFault::deadlock,
                fmt::format("collective action {}: rank {} {}, and rank {} {}; all ranks must call the same", at + 1,
                            first, say(with, at), other, say(progress, at)));
            return;
        }
    }
    std::map<std::string_view, std::uint64_t> counts;
    for (const Call& call : with.calls) ++counts[call.action];
    if (counts.contains("barrier"))
        read_.remarks.emplace_back("barriers order what is before and behind them; their own messages are not counted");
    for (const auto& [action, count] : counts) {
        if (action == "barrier") continue;
        read_.not_judged.push_back(
            {fmt::format("rounds of {} {}", count, action), "messages of collective actions are not in the trace"});
    }
}

RankedSteps TraceText::finish() {
    if (read_.ranks == 0)
        throw RequestError(fmt::format("{} has no action of a rank; want lines such as '0 send 1 0 1e3'", read_.what));
    if (largest_peer_ >= read_.ranks)
        throw RequestError(fmt::format("{} names rank {}, and has lines of ranks 0 to {} only", read_.what,
                                       largest_peer_, read_.ranks - 1));
    compare_calls();
    return std::move(read_);
}

}  // namespace kport::simgrid
