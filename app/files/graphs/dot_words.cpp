#include "app/files/graphs/dot_words.hpp"

#include <fmt/format.h>
#include <boost/algorithm/string/predicate.hpp>

#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

bool is_dot_digit(int c) { return c >= '0' && c <= '9'; }
bool begins_dot_id(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80; }

}  // namespace

bool DotWords::Word::is_keyword(std::string_view keyword) const {
    return kind == Kind::id && boost::iequals(text, keyword);
}

std::string DotWords::Word::shown() const { return kind == Kind::end ? "the end of the text" : quoted(text); }

DotWords::Word DotWords::take() {
    Word word = std::move(now_);
    next();
    return word;
}

bool DotWords::take_sign(std::string_view sign) {
    const bool there = now_.is(sign);
    if (there) next();
    return there;
}

void DotWords::refuse_now(std::string_view wanted) const {
    text_.refuse(now_.at, fmt::format("{}; want {}", now_.shown(), wanted));
}

/// A text that is not needed, such as a drawing, may be long.
void DotWords::add(int c) {
    constexpr std::size_t bytes_most = std::size_t{1} << 20;
    if (now_.text.size() == bytes_most) text_.refuse(now_.at, fmt::format("a word of more than {} bytes", bytes_most));
    now_.text += static_cast<char>(c);
}

void DotWords::next() {
    skip_space();
    now_.text.clear();
    now_.at = text_.place();
    const int c = text_.peek();
    if (c == TextSource::end_of_text) {
        now_.kind = Kind::end;
    } else if (c == '"') {
        read_quoted();
    } else if (begins_dot_id(c)) {
        read_id();
    } else if (is_dot_digit(c) || c == '.') {
        read_number();
    } else if (c == '<') {
        read_html();
    } else if (c == '-') {
        add(text_.get());
        if (const int second = text_.peek(); second == '-' || second == '>')
            add(text_.get());
        else
            read_number();
        if (now_.text == "--" || now_.text == "->") now_.kind = Kind::sign;
    } else if (std::string_view("{}[];,=:+").find(static_cast<char>(c)) != std::string_view::npos) {
        now_.kind = Kind::sign;
        add(text_.get());
    } else {
        const char byte = static_cast<char>(c);
        text_.refuse(now_.at, fmt::format("{} begins no word of DOT", quoted({&byte, 1})));
    }
}

void DotWords::skip_space() {
    while (true) {
        const int c = text_.peek();
        const TextPlace at = text_.place();
        if (is_blank(c) || c == '\n' || c == '\f' || c == '\v')
            (void)text_.get();
        else if ((c == '#' && at.column == 1) || text_.ahead(2) == "//")
            text_.skip_line();
        else if (text_.ahead(2) == "/*")
            skip_block_comment(at);
        else
            return;
    }
}

void DotWords::skip_block_comment(const TextPlace& begin) {
    (void)text_.get();
    (void)text_.get();
    for (int c = text_.get(); c != '*' || text_.peek() != '/'; c = text_.get())
        if (c == TextSource::end_of_text) text_.refuse(begin, "a comment without an end; want '*/'");
    (void)text_.get();
}

void DotWords::read_id() {
    now_.kind = Kind::id;
    while (begins_dot_id(text_.peek()) || is_dot_digit(text_.peek())) add(text_.get());
}

void DotWords::read_number() {
    now_.kind = Kind::id;
    bool digits = false;
    bool point = false;
    for (int c = text_.peek(); is_dot_digit(c) || (c == '.' && !point); c = text_.peek()) {
        digits |= c != '.';
        point |= c == '.';
        add(text_.get());
    }
    if (!digits) text_.refuse(now_.at, fmt::format("{} is no number and no name", quoted(now_.text)));
}

/// "<...>", in which the brackets of tags are balanced.
void DotWords::read_html() {
    now_.kind = Kind::html;
    std::uint64_t depth = 0;
    do {
        const int c = text_.get();
        if (c == TextSource::end_of_text) text_.refuse(now_.at, "a text in HTML without an end; want '>'");
        depth += c == '<' ? 1 : 0;
        depth -= c == '>' ? 1 : 0;
        add(c);
    } while (depth > 0);
}

/// In quotes \" is a quote, and a backslash at the end of a line joins it with the next. All else stays as it is.
void DotWords::read_quoted() {
    now_.kind = Kind::quoted_id;
    (void)text_.get();
    for (int c = text_.get(); c != '"'; c = text_.get()) {
        if (c == TextSource::end_of_text) text_.refuse(now_.at, "a text in quotes without an end; want '\"'");
        if (c != '\\') {
            add(c);
            continue;
        }
        const int escaped = text_.get();
        if (escaped == '\n' || escaped == TextSource::end_of_text) continue;
        if (escaped != '"') add('\\');
        add(escaped);
    }
}

}  // namespace kport
