#include "app/files/goal_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::goal {

GoalText::GoalText(std::istream& in, const std::string& name) : lines_(in, fmt::format("schedule {}", quoted(name))) {}

RankedSteps GoalText::read() {
    while (lines_.next()) {
        LineCursor cursor(lines_);
        if (lines_.text().starts_with(own_words)) own_.emplace_back(lines_.text().substr(own_words.size()));
        if (!ends(cursor)) read_line(cursor);
    }
    if (ranks_ == 0) lines_.refuse("does not say how many ranks there are; want 'num_ranks 4' first");
    if (inside_) lines_.refuse(fmt::format("ends inside rank {}; want '}}'", rank_));
    RankedSteps read{lines_.what(), ranks_, std::move(steps_), std::move(own_)};
    const auto absent = static_cast<std::uint64_t>(std::ranges::count(seen_, false));
    if (absent > 0)
        read.remarks.push_back(fmt::format("{} no block, and so no operations; the first is rank {}",
                                           absent == 1 ? "1 rank has" : fmt::format("{} ranks have", absent),
                                           std::ranges::find(seen_, false) - seen_.begin()));
    return read;
}

bool GoalText::ends(LineCursor& cursor) {
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

void GoalText::note_packets(std::string_view comment) {
    if (comment.starts_with(packets_words)) packets_ = comment.substr(packets_words.size());
}

void GoalText::read_line(LineCursor& cursor) {
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

void GoalText::begin_rank(LineCursor& cursor) {
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

void GoalText::end_rank() {
    inside_ = false;
    for (const Required& one : required_) {
        const auto after = labels_.find(one.label);
        const auto before = labels_.find(one.needs);
        for (const auto& [found, label] : {std::pair(after, one.label), std::pair(before, one.needs)})
            if (found == labels_.end())
                throw RequestError(fmt::format("{}: line {}: no operation of rank {} has the label {}", lines_.what(),
                                               one.line, rank_, quoted(label)));
        RankedStep& step = steps_[after->second];
        (one.starts_only ? step.after_start : step.after).push_back(before->second);
    }
}

void GoalText::read_step(LineCursor& cursor) {
    std::string label;
    if (!is_operation(cursor)) {
        label = cursor.until(" \t:");
        if (!cursor.take(":")) {
            const bool starts = cursor.take_word("irequires");
            if (!starts && !cursor.take_word("requires"))
                cursor.refuse_here("", "'send', 'recv', 'calc', a label with ':', or 'requires'");
            (void)cursor.at_end();
            required_.push_back({label, std::string(cursor.until(" \t/")), lines_.number(), starts});
            return;
        }
    }
    if (!label.empty() && !labels_.emplace(label, steps_.size()).second)
        cursor.refuse(fmt::format("rank {} has the label {} twice", rank_, quoted(label)));
    read_operation(cursor, std::move(label));
}

bool GoalText::is_operation(LineCursor& cursor) {
    LineCursor copy = cursor;
    return copy.take_word("send") || copy.take_word("recv") || copy.take_word("calc");
}

void GoalText::read_operation(LineCursor& cursor, std::string label) {
    RankedStep step;
    step.label = std::move(label);
    step.rank = rank_;
    step.line = lines_.number();
    if (cursor.take_word("calc")) {
        (void)cursor.number("a number of nanoseconds", 0, count_max);
    } else {
        step.kind = cursor.take_word("send") ? RankedStep::Kind::send : RankedStep::Kind::receive;
        if (step.kind == RankedStep::Kind::receive && !cursor.take_word("recv"))
            cursor.refuse_here("", "'send', 'recv' or 'calc'");
        step.bytes = cursor.number("a number of bytes", 0, count_max);
        cursor.want("b", "the bytes");
        cursor.want(step.kind == RankedStep::Kind::send ? "to" : "from", "the bytes");
        if (step.kind == RankedStep::Kind::receive && cursor.take("-1"))
            step.peer = no_node;
        else
            step.peer = cursor.number("a rank", 0, ranks_ - 1);
    }
    while (!ends(cursor)) read_option(cursor, step);
    step.packets = std::exchange(packets_, {});
    steps_.push_back(std::move(step));
}

void GoalText::read_option(LineCursor& cursor, RankedStep& step) {
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

}  // namespace kport::goal
