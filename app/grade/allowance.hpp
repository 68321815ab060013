/// @file allowance.hpp   How much a criterion allows: a formula of an exercise, such as "2 * bound + 1".
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kport::grade {

/// Sums and products of numbers and of figures of the machine, with + - * and parentheses.
class Allowance {
  public:
    /// Throws RequestError, beginning with `place`, for what is no such formula, or names what is not among the figures.
    Allowance(std::string text, const std::string& place);

    /// `figure`: the value of a name (figures()).
    [[nodiscard]] double value(const std::function<double(std::string_view)>& figure) const;
    /// Whether the formula has this name.
    [[nodiscard]] bool names(std::string_view figure) const;
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace kport::grade
