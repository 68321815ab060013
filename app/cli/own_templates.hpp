/// @file own_templates.hpp   What `kport new` writes: a complete algorithm for an operation, to be changed.
#pragma once

#include <span>
#include <string_view>

namespace kport::cli {

struct OwnTemplate {
    std::string_view operation;
    std::string_view text;  ///< it calls itself ./mine.cpp
};

/// One for each file of app/cli/templates/.
[[nodiscard]] std::span<const OwnTemplate> own_templates();

}  // namespace kport::cli
