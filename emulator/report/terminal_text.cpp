#include "emulator/report/terminal_text.hpp"

#include <algorithm>
#include <vector>

namespace kport {

namespace {

/// The bytes of a colour's code ("\033[32m") at the beginning of the text; 0 where there is none.
std::size_t colour_at(std::string_view text) {
    if (!text.starts_with("\033[")) return 0;
    const std::size_t end = text.find('m');
    return end == std::string_view::npos ? 0 : end + 1;
}

/// What stays on one line if it can, and the spaces before it.
struct Piece {
    std::string_view text;
    std::size_t spaces;
};

/// Where the word that begins a text ends. A command in quotes is one word, with what is quoted in it for a shell.
std::size_t end_of_word(std::string_view text) {
    const auto end_from = [&](std::size_t at) { return std::min(text.find(' ', at), text.size()); };
    if (!text.starts_with("'kport ") && !text.starts_with("`kport ")) return end_from(0);
    const char quote = text.front();
    for (std::size_t end = 1; (end = text.find(quote, end)) != std::string_view::npos; ++end) {
        const char before = text[end - 1];
        if (before == '\\') continue;
        const bool opens = before == ' ' || before == quote;
        const std::size_t closes = opens ? text.find(quote, end + 1) : std::string_view::npos;
        if (closes == std::string_view::npos) return end_from(end);
        end = closes;
    }
    return end_from(0);
}

std::vector<Piece> words_of(std::string_view line) {
    std::vector<Piece> words;
    while (true) {
        const std::size_t spaces = line.find_first_not_of(' ');
        if (spaces == std::string_view::npos) return words;
        line.remove_prefix(spaces);
        const std::size_t end = end_of_word(line);
        words.push_back({line.substr(0, end), spaces});
        line.remove_prefix(end);
    }
}

/// Words up to a comma, a semicolon, or two spaces.
std::vector<Piece> phrases_of(std::string_view line) {
    std::vector<Piece> phrases;
    for (const Piece& word : words_of(line)) {
        const bool begins = phrases.empty() || word.spaces > 1 || phrases.back().text.ends_with(',') ||
                            phrases.back().text.ends_with(';');
        if (begins) {
            phrases.push_back(word);
        } else {
            const char* begin = phrases.back().text.data();
            phrases.back().text = {begin, static_cast<std::size_t>(word.text.data() + word.text.size() - begin)};
        }
    }
    return phrases;
}

/// Fills lines with pieces.
class Filler {
  public:
    Filler(std::string& text, std::size_t hang, std::size_t width)
        : text_(text), hang_(std::min(hang, width / 2)), width_(width) {}

    [[nodiscard]] bool fits_here(const Piece& piece) const {
        return used_ + piece.spaces + columns_of(piece.text) <= width_;
    }
    [[nodiscard]] bool fits_below(const Piece& piece) const { return hang_ + columns_of(piece.text) <= width_; }

    void put(const Piece& piece) {
        if (begun_ && !fits_here(piece)) {
            text_ += '\n';
            text_.append(hang_, ' ');
            used_ = hang_;
        } else {
            text_.append(piece.spaces, ' ');
            used_ += piece.spaces;
        }
        text_ += piece.text;
        used_ += columns_of(piece.text);
        begun_ = true;
    }

  private:
    std::string& text_;
    std::size_t hang_;
    std::size_t width_;
    std::size_t used_ = 0;
    bool begun_ = false;
};

void add_wrapped(std::string& text, std::string_view line, std::size_t hang, std::size_t width, Break at) {
    if (columns_of(line) <= width) {
        text += line;
        return;
    }
    Filler filler(text, hang, width);
    for (const Piece& piece : at == Break::words ? words_of(line) : phrases_of(line)) {
        if (filler.fits_here(piece) || filler.fits_below(piece)) {
            filler.put(piece);
            continue;
        }
        std::size_t spaces = piece.spaces;  // before the first word of the phrase
        for (const Piece& word : words_of(piece.text)) {
            filler.put({word.text, word.spaces + spaces});
            spaces = 0;
        }
    }
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const std::size_t colour = colour_at(text);
        if (colour == 0 && (static_cast<unsigned char>(text.front()) & 0xC0U) != 0x80U) ++columns;
        text.remove_prefix(std::max<std::size_t>(colour, 1));
    }
    return columns;
}

std::string wrapped(std::string_view text, std::size_t hang, std::size_t width, Break at) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        add_wrapped(lines, text.substr(0, end), hang, width, at);
        if (end < text.size()) lines += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

namespace {

std::string_view code(Tone tone) {
    switch (tone) {
        case Tone::good: return "\033[32m";
        case Tone::warning: return "\033[33m";
        case Tone::bad: return "\033[31m";
        case Tone::heat_1: return "\033[48;5;114;38;5;16m";  // of 256 colours: green, yellow, red behind black letters
        case Tone::heat_2: return "\033[48;5;150;38;5;16m";
        case Tone::heat_3: return "\033[48;5;186;38;5;16m";
        case Tone::heat_4: return "\033[48;5;222;38;5;16m";
        case Tone::heat_5: return "\033[48;5;216;38;5;16m";
        case Tone::heat_6: return "\033[48;5;210;38;5;16m";
        case Tone::heat_7: return "\033[48;5;203;38;5;16m";
        case Tone::plain: break;
    }
    return {};
}

}  // namespace

std::string Paint::operator()(std::string_view text, Tone tone) const {
    if (!colour_ || tone == Tone::plain || text.empty()) return std::string(text);
    return std::string(code(tone)) + std::string(text) + "\033[0m";
}

}  // namespace kport
