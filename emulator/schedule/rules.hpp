/// @file rules.hpp   Which rules of an operation are law, which are counted, and which are not looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace KPORT_PUBLIC kport {

enum class Force : std::uint8_t {
    law,      ///< who breaks the rule is not lawful
    counted,  ///< the report says how often it was not kept, and by whom first
    off
};

/// The rules of the operation. Those of the machine (ports, channels, links, holding, delivery, rounds, transfers) are law.
struct Rules {
    Force nodup = Force::law;
    Force noho = Force::law;

    [[nodiscard]] bool all_law() const { return nodup == Force::law && noho == Force::law; }
    bool operator==(const Rules&) const = default;
};

/// From "nodup=count,noho=off". Throws RequestError with what would be right.
[[nodiscard]] Rules rules_named(std::string_view text);
/// The same text back, of what is no law; empty if everything is.
[[nodiscard]] std::string text(const Rules& rules);

}  // namespace kport
