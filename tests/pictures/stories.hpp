/// @file stories.hpp   Stories of real runs, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/pictures/picture.hpp"

namespace kport {

struct RunToTell {
    std::string_view operation;
    std::string_view topology;
    std::string_view algorithm = "";  ///< empty: the best that applies
    Port ports = 1;
    Switching switching = Switching::store_and_forward;
    std::uint64_t packets_each = 1;
};

/// Runs it and returns its story.
[[nodiscard]] Story told(const RunToTell& what);
/// A picture as text.
[[nodiscard]] std::string picture(std::string_view kind, const Story& story, const PictureOptions& options = {});
/// How often a text occurs in another.
[[nodiscard]] std::size_t times(std::string_view text, std::string_view part);

}  // namespace kport
