/// @file edited_text.hpp   A text that is edited by lines, and the patch between what it was and what it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/report/judgement.hpp"

namespace kport {

/// Lines stay, change, or are new; none goes.
class EditedText {
  public:
    explicit EditedText(std::string_view text);

    /// Makes all edits of a repair, whose places are those of the text as it is. Returns false, with the text in an unspecified state,
    /// where a place or an attribute is not there.
    [[nodiscard]] bool apply(const Repair& repair);
    /// The repair, whose places are those of this text, with the places of the text without what the i-th applied repair (from 0)
    /// inserted. Nothing where it edits one of these lines.
    [[nodiscard]] std::optional<Repair> without(std::size_t i, const Repair& repair) const;

    [[nodiscard]] std::string text() const;
    /// The unified diff from the text as it was, with three lines around each change; `name` is the file's.
    [[nodiscard]] std::string patch(std::string_view name) const;

  private:
    struct Line {
        std::string now;  ///< without its "\n"
        std::string before = {};
        bool is_new = false;
        std::size_t repair = 0;  ///< that inserted it

        [[nodiscard]] bool stays() const { return !is_new && now == before; }
    };

    [[nodiscard]] bool apply(const TextEdit& edit);
    [[nodiscard]] bool set_attribute(const TextEdit& edit, std::size_t byte);
    void insert(const TextEdit& edit, std::size_t byte);
    [[nodiscard]] std::string hunk(std::size_t begin, std::size_t end, std::size_t lines_before) const;

    std::vector<Line> lines_;
    std::size_t repairs_ = 0;  ///< applied
    bool ends_with_newline_ = true;
};

}  // namespace kport
