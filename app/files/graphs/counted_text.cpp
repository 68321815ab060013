#include "app/files/graphs/counted_text.hpp"

#include <fmt/format.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

std::uint64_t read_count(TextSource& text, std::string_view what, std::uint64_t least, std::uint64_t most) {
    text.skip_blanks();
    const TextPlace at = text.place();
    if (text.at_line_end()) text.refuse(at, fmt::format("{} is missing", what));
    const std::string_view word = text.word();
    const auto count = to_count(word);
    if (!count || *count < least || *count > most)
        text.refuse(at,
                    most == count_max && least == 0
                        ? fmt::format("{} is {}; want a whole number", what, quoted(word))
                        : fmt::format("{} is {}; want a whole number from {} to {}", what, quoted(word), least, most));
    return *count;
}

double read_number(TextSource& text, std::string_view what) {
    text.skip_blanks();
    const TextPlace at = text.place();
    if (text.at_line_end()) text.refuse(at, fmt::format("{} is missing", what));
    const std::string_view word = text.word();
    const auto number = number_in(word);
    if (!number) text.refuse(at, fmt::format("{} is {}; want a finite number", what, quoted(word)));
    return *number;
}

void end_line(TextSource& text) {
    text.skip_blanks();
    if (!text.at_line_end()) text.refuse(text.place(), "one word too many in this line");
    text.skip_line();
}

bool at_line_of(TextSource& text, char comment) {
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (text.peek() != static_cast<unsigned char>(comment) && !text.at_line_end()) return true;
    }
    return false;
}

}  // namespace kport
