/// @file edited_text.hpp   A text edited by lines, and the patch from the original to the current text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/report/judgement.hpp"

namespace kport {

/// Lines stay, change, or are inserted; none is removed.
class EditedText {
  public:
    explicit EditedText(std::string_view text);

    /// Makes all edits of a repair, at positions of the current text. Returns false if a position or an attribute does
    /// not exist; the text is then unspecified.
    [[nodiscard]] bool apply(const Repair& repair);
    /// Returns the repair with positions of the text without the insertions of the i-th applied repair (from 0).
    /// Nothing if it edits one of the inserted lines.
    [[nodiscard]] std::optional<Repair> without(std::size_t i, const Repair& repair) const;

    [[nodiscard]] std::string text() const;
    /// Returns the unified diff from the original text, with three lines of context; `name` is the file's.
    [[nodiscard]] std::string patch(std::string_view name) const;

  private:
    struct Line {
        std::string now;  ///< without its "\n"
        std::string before = {};
        bool is_new = false;
        std::size_t repair = 0;  ///< repair that inserted it

        [[nodiscard]] bool stays() const { return !is_new && now == before; }
    };

    [[nodiscard]] bool apply(const TextEdit& edit);
    [[nodiscard]] bool set_attribute(const TextEdit& edit, std::size_t byte);
    void insert(const TextEdit& edit, std::size_t byte);
    [[nodiscard]] std::string hunk(std::size_t begin, std::size_t end, std::size_t lines_before) const;

    std::vector<Line> lines_;
    std::size_t repairs_ = 0;  ///< number of applied repairs
    bool ends_with_newline_ = true;
};

}  // namespace kport
