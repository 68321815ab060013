/// @file labels.hpp   Packets, nodes and other texts as shown in pictures.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/pictures/story.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// Returns "{1,3,5,7}", shortened to "{1,3,..,15}" or "{0,2,5,...}" if it is longer than `letters`. If every node has a
/// packet for every node, the packet of 0 for 3 is "0>3"; packet 3 of node 0, and its contribution to segment 3, is
/// "0:3"; results of segments are "result:0..3". Empty for a broadcast of one packet. For contents "12 B".
[[nodiscard]] std::string packets_label(const Story& story, std::span<const PacketBlock> packets,
                                        std::size_t letters = 14);
/// Returns what a node holds; all contributions to one of several segments are its result. In a scan the contributions
/// to its result are in brackets, followed by all that it knows: "[0,1] {0..3}".
[[nodiscard]] std::string held_label(const Story& story, NodeId v, const PacketSet& held, std::size_t letters = 14);
/// Whether what nodes hold needs labels: many packets, or values.
[[nodiscard]] bool has_labels(const Story& story);

/// Escapes a text for XML or HTML, also within quotes: <, >, &, quotes, and control characters. Invalid UTF-8 is
/// replaced.
[[nodiscard]] std::string escaped(std::string_view text);
/// Returns a JSON string with its quotes; safe within a <script>: contains no '<'.
[[nodiscard]] std::string json_string(std::string_view text);

/// Returns the width in pixels of a text in DejaVu Sans or a narrower font of this size.
[[nodiscard]] double text_width(std::string_view text, double size);

}  // namespace kport
