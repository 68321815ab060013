/// @file plain_lines.hpp   A text from which a fast reader takes lines of the common form; the full parser sees blank
///                         lines instead.
#pragma once

#include <functional>
#include <istream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// Idea     Most lines of a large file look alike. A fast reader takes lines of the common form; all others go to the
///          full parser, which reports errors with correct line numbers.
/// Memory   two pieces of the text, however long its lines are
class PlainLines final : public std::streambuf {
  public:
    /// Called at the beginning of each complete line, without its end; returns whether the line is done, otherwise it
    /// may be called again. `before` is the last byte of the line before.
    using Take = std::function<bool(std::string_view line, char before)>;

    PlainLines(std::istream& in, Take take) : in_(in), take_(std::move(take)) {}

  private:
    static constexpr std::size_t piece = std::size_t{1} << 16;

    int_type underflow() override;
    /// Reads on after what was passed on; false at the end.
    bool fill();

    std::istream& in_;
    Take take_;
    std::string held_;      ///< of the text
    std::size_t at_ = 0;    ///< what is before it was passed on or taken
    bool at_begin_ = true;  ///< at the beginning of a line
    char before_ = '\n';
    std::string blank_lines_;
};

}  // namespace kport
