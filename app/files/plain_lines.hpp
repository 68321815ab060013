/// @file plain_lines.hpp   A text whose plain lines are taken on the way to its reader, who sees blank lines in their place.
#pragma once

#include <functional>
#include <istream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// Idea     Most lines of a large file look the same. Who knows them by heart takes them; all others, and so everything that is
///          wrong, goes to a reader that knows the whole language, and whose numbers of lines stay right.
/// Memory   two pieces of the text, whatever the length of its lines
class PlainLines final : public std::streambuf {
  public:
    /// Asked at the beginning of each line that is read whole, without its end; true if the line is done, else it may be asked
    /// again. `before` is the last byte of the lines before.
    using Take = std::function<bool(std::string_view line, char before)>;

    PlainLines(std::istream& in, Take take) : in_(in), take_(std::move(take)) {}

  private:
    static constexpr std::size_t piece = std::size_t{1} << 16;

    int_type underflow() override;
    /// Reads on behind what is not yet passed on; false at the end.
    bool fill();

    std::istream& in_;
    Take take_;
    std::string held_;      ///< of the text
    std::size_t at_ = 0;    ///< before that it is passed on or taken
    bool at_begin_ = true;  ///< of a line
    char before_ = '\n';
    std::string blank_lines_;
};

}  // namespace kport
