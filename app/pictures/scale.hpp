/// @file scale.hpp   Colours of values: a few classes, the darker the more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// A colour for lines and fills, at least 3:1 on white, and that of texts on it, at least 4.5:1.
struct Shade {
    std::string_view fill;
    std::string_view ink;
};

/// Values above 0 in at most four classes: each value by itself where they are few, else between bounds that are equally far apart,
/// or, where the largest is more than twenty times the smallest, equally far by factors.
class ValueScale {
  public:
    struct Class {
        double least = 0;  ///< of the values that occur
        double most = 0;
        Shade shade = {};
        double weight = 0;  ///< 0 the lightest, to 1
    };

    /// `values` may be in any order; zeros have no class.
    explicit ValueScale(std::vector<double> values);

    /// Those in which there is a value, ascending.
    [[nodiscard]] const std::vector<Class>& classes() const { return classes_; }
    /// Returns the class of a value that occurs.
    [[nodiscard]] const Class& of(double value) const;
    /// Returns "2 to 5", "6.384".
    [[nodiscard]] static std::string text_of(const Class& one);
    /// Returns "2 to 5 messages", "1 message", of counts.
    [[nodiscard]] static std::string text_of(const Class& one, std::string_view singular);

  private:
    std::vector<Class> classes_;
};

}  // namespace kport
