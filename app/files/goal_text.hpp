/// @file goal_text.hpp   The text of GOAL, the language of LogGOPSim: ranks, their steps and dependences.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/lines.hpp"
#include "app/files/ranked_steps.hpp"
#include "emulator/base/types.hpp"

namespace kport::goal {

/// Beginning of a comment written by kport, and of one that gives the packets of the next send.
inline constexpr std::string_view own_words = "// kport: ";
inline constexpr std::string_view packets_words = "// @pkt ";

/// Parses the text. Less strict than LogGOPSim: comments anywhere, options and ranks in any order, labels before they
/// are defined.
class GoalText {
  public:
    /// `name` is used in messages; the stream must outlive it.
    GoalText(std::istream& in, const std::string& name);

    /// Throws RequestError with line and column.
    [[nodiscard]] RankedSteps read();

  private:
    /// Whether only comments follow on the line.
    [[nodiscard]] bool ends(LineCursor& cursor);
    void note_packets(std::string_view comment);
    void read_line(LineCursor& cursor);
    void begin_rank(LineCursor& cursor);
    void end_rank();
    void read_step(LineCursor& cursor);
    [[nodiscard]] static bool is_operation(LineCursor& cursor);
    void read_operation(LineCursor& cursor, std::string label);
    static void read_option(LineCursor& cursor, RankedStep& step);

    struct Required {
        std::string label;
        std::string needs;
        std::uint64_t line;
        bool starts_only;  ///< `irequires`: waits for a start, not for an end
    };

    Lines lines_;
    NodeId ranks_ = 0;
    std::vector<bool> seen_;
    bool inside_ = false;
    bool in_comment_ = false;
    NodeId rank_ = 0;
    std::string packets_;
    std::map<std::string, std::uint32_t, std::less<>> labels_;
    std::vector<Required> required_;
    std::vector<RankedStep> steps_;
    std::vector<std::string> own_;
};

}  // namespace kport::goal
