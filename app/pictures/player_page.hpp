/// @file player_page.hpp   The page of the player, player.html, without a story.
#pragma once

#include <string_view>

namespace kport {

/// Contains the marks @@TITLE@@ and @@DATA@@, once each, where a story is inserted.
extern const std::string_view player_page;

}  // namespace kport
