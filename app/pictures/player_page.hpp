/// @file player_page.hpp   The page of the player, player.html, without a story.
#pragma once

#include <array>
#include <string_view>

namespace kport {

/// Contains the marks @@TITLE@@, @@DATA@@ and @@SCRIPT@@, once each in this order, where a story and the scripts are inserted.
extern const std::string_view player_page;
/// What stands in the place of @@SCRIPT@@, one after the other.
extern const std::array<std::string_view, 3> player_scripts;

}  // namespace kport
