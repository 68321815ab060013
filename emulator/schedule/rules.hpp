/// @file rules.hpp   Which rules of an operation are law, which are counted, and which are not checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace KPORT_PUBLIC kport {

enum class Force : std::uint8_t {
    law,      ///< a run that breaks the rule fails
    counted,  ///< the report says how often the rule was violated, and which node was the first
    off
};

/// The rules of an operation. Those of the machine (ports, channels, links, holding, delivery, rounds, transfers) are
/// always law.
struct Rules {
    Force nodup = Force::law;
    Force noho = Force::law;
    /// Of a reduction: whether all holders of a result must hold the same bits whatever the values; off: it is not looked at.
    Force agree = Force::counted;

    /// Whether the rules of transfers are law.
    [[nodiscard]] bool all_law() const { return nodup == Force::law && noho == Force::law; }
    bool operator==(const Rules&) const = default;
};

/// Parses "nodup=count,noho=off,agree=law". Throws RequestError that says what would be right.
[[nodiscard]] Rules rules_named(std::string_view text);
/// Returns the text that rules_named() parses, of the rules that are not as by default; empty if all are.
[[nodiscard]] std::string text(const Rules& rules);

}  // namespace kport
