/// @file timetable_lines.hpp   The lines of a node, one after the other, each asked for once.
#pragma once

#include "emulator/node/timetable.hpp"

namespace kport {

/// A line, and its round; round 0: there is none.
struct NextLine {
    Round round = 0;
    TimetableLine line;
};

/// The round of a node's first line, and of its last. Throw std::invalid_argument for a round that no run has, and what the text throws.
[[nodiscard]] Round round_of_first_line(const Timetable& timetable, NodeId v);
[[nodiscard]] Round round_of_last_line(const Timetable& timetable, NodeId v);
/// The round, from this one on, in which the node may have something to do; 0: in none up to the last. Throws
/// std::invalid_argument where the text goes back, and what it throws.
[[nodiscard]] Round next_round(const Timetable& timetable, NodeId v, Round from, Round last);
/// The first line from a round on that is not empty. Throws as next_round(), and std::invalid_argument where there are millions of
/// empty lines before it.
[[nodiscard]] NextLine next_line(const Timetable& timetable, NodeId v, Round from, Round last);

}  // namespace kport
