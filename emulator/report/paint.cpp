#include "emulator/report/paint.hpp"

namespace kport {

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
