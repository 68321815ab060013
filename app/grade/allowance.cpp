#include "app/grade/exercise.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::grade {

namespace {

constexpr std::array<std::string_view, 5> figures = {"bound", "nodes", "diameter", "degree", "packets"};

using FigureOf = std::function<double(std::string_view)>;

/// Evaluates a formula while reading it, by recursive descent.
class FormulaReader {
  public:
    FormulaReader(std::string_view text, const std::string& place, const FigureOf& figure)
        : text_(text), place_(place), figure_(figure) {}

    [[nodiscard]] double read() {
        const double value = sum();
        if (at_ != text_.size()) refuse("the end, or + - *");
        return value;
    }

  private:
    [[noreturn]] void refuse(std::string_view wanted) const {
        throw RequestError(fmt::format("{} {}: at letter {} want {}; such as \"2 * bound + 1\", of numbers and {}",
                                       place_, quoted(text_), at_ + 1, wanted, fmt::join(figures, ", ")));
    }
    [[nodiscard]] bool take(char sign) {
        skip();
        if (at_ == text_.size() || text_[at_] != sign) return false;
        ++at_;
        skip();
        return true;
    }
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    [[nodiscard]] std::string_view letters(int (*belongs)(int)) {
        const std::size_t first = at_;
        while (at_ < text_.size() && (belongs(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) ++at_;
        return text_.substr(first, at_ - first);
    }

    double sum() {
        double value = product();
        for (;;) {
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                return value;
        }
    }
    double product() {
        double value = factor();
        while (take('*')) value *= factor();
        return value;
    }
    double factor() {
        if (take('(')) {
            const double value = sum();
            if (!take(')')) refuse("')'");
            return value;
        }
        skip();
        const std::size_t first = at_;
        const std::string_view digits = letters(std::isdigit);
        if (const auto number = to_real(digits)) return skip(), *number;
        at_ = first;
        const std::string_view name = letters(std::isalpha);
        if (std::ranges::find(figures, name) == figures.end()) {
            at_ = first;
            refuse("a number, a name or '('");
        }
        skip();
        return figure_(name);
    }

    std::string_view text_;
    const std::string& place_;
    const FigureOf& figure_;
    std::size_t at_ = 0;
};

}  // namespace

Allowance::Allowance(std::string text, const std::string& place) : text_(std::move(text)) {
    constexpr std::size_t letters_most = 200;
    if (text_.size() > letters_most)
        throw RequestError(
            fmt::format("{} has {} letters; want a formula of at most {}", place, text_.size(), letters_most));
    const FigureOf one = [](std::string_view) { return 1.0; };
    (void)FormulaReader(text_, place, one).read();
}

double Allowance::value(const FigureOf& figure) const {
    const std::string place = "allowance";
    return FormulaReader(text_, place, figure).read();
}

bool Allowance::names(std::string_view figure) const {
    bool found = false;
    (void)value([&](std::string_view name) {
        found |= name == figure;
        return 1.0;
    });
    return found;
}

}  // namespace kport::grade
