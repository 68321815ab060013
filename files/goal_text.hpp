/// @file goal_text.hpp   The text of GOAL, the language of LogGOPSim: ranks, their steps and what they require.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/types.hpp"
#include "files/lines.hpp"

namespace kport::goal {

/// What begins a comment of kport's own, and one that says which packets the next send carries.
inline constexpr std::string_view own_words = "// kport: ";
inline constexpr std::string_view packets_words = "// @pkt ";

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
    /// `name` stands in the messages; the stream must outlive it.
    GoalText(std::istream& in, const std::string& name);

    /// Throws RequestError with line and column.
    void read();

    [[nodiscard]] NodeId ranks() const { return ranks_; }
    [[nodiscard]] std::vector<Step>& steps() { return steps_; }
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
    /// What kport's own comments say.
    [[nodiscard]] const std::vector<std::string>& own() const { return own_; }
    [[nodiscard]] const Lines& lines() const { return lines_; }
    /// Whether `irequires` occurs, which asks for a start and not for an end.
    [[nodiscard]] bool has_starts_only() const { return has_starts_only_; }

    /// Throws RequestError at the line of the step.
    [[noreturn]] void refuse(const Step& step, const std::string& why) const;

  private:
    /// The end of the line, but for comments.
    [[nodiscard]] bool ends(LineCursor& cursor);
    void note_packets(std::string_view comment);
    void read_line(LineCursor& cursor);
    void begin_rank(LineCursor& cursor);
    void end_rank();
    void read_step(LineCursor& cursor);
    [[nodiscard]] static bool is_operation(LineCursor& cursor);
    void read_operation(LineCursor& cursor);
    static void read_option(LineCursor& cursor, Step& step);

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

}  // namespace kport::goal
