/// @file scale.hpp   Colours of counts: a few classes, the darker the more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// A colour for lines and fills, at least 3:1 on white, and that of texts on it, at least 4.5:1.
struct Shade {
    std::string_view fill;
    std::string_view ink;
};

/// Counts from 1 on in at most four classes: each count by itself where they are few, else between bounds that are equally far apart,
/// or, where the largest is more than twenty times the smallest, equally far by factors.
class CountScale {
  public:
    struct Class {
        std::uint64_t least = 0;  ///< of the counts that occur
        std::uint64_t most = 0;
        Shade shade = {};
        double weight = 0;  ///< 0 the lightest, to 1
    };

    /// `counts` may be in any order; zeros have no class.
    explicit CountScale(std::vector<std::uint64_t> counts);

    /// Those in which there is a count, ascending.
    [[nodiscard]] const std::vector<Class>& classes() const { return classes_; }
    /// Returns the class of a count that occurs.
    [[nodiscard]] const Class& of(std::uint64_t count) const;
    /// Returns "2 to 5 messages", "1 message".
    [[nodiscard]] static std::string text_of(const Class& one, std::string_view singular);

  private:
    std::vector<Class> classes_;
};

}  // namespace kport
