/// @file labels.hpp   Packets, nodes and other texts as they stand in pictures.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/pictures/story.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// "{1,3,5,7}", shortened to "{1,3,..,15}" or "{0,2,5,...}" where it is longer than `letters`. Where every node has a packet for
/// every node the packet of 0 for 3 is "0>3"; packet 3 of node 0, and its contribution to segment 3, "0:3"; results of segments
/// "result:0..3". Of a broadcast of one packet nothing. Of contents "12 B".
[[nodiscard]] std::string packets_label(const Story& story, std::span<const PacketBlock> packets,
                                        std::size_t letters = 14);
/// What a node holds; all contributions to one of several segments are its result. Of a scan the contributions to its result in brackets, all that it knows behind them: "[0,1] {0..3}".
[[nodiscard]] std::string held_label(const Story& story, NodeId v, const PacketSet& held, std::size_t letters = 14);
/// Whether nodes hold anything worth a label: many packets, or values.
[[nodiscard]] bool has_labels(const Story& story);

/// A text within XML or HTML, also within quotes: <, >, &, quotes, and what XML has no letter for. Invalid UTF-8 is replaced.
[[nodiscard]] std::string escaped(std::string_view text);
/// A string of JSON with its quotes; also safe within a <script>: no '<' in it.
[[nodiscard]] std::string json_string(std::string_view text);

/// Pixels that a text takes in DejaVu Sans or a narrower font of this size.
[[nodiscard]] double text_width(std::string_view text, double size);

}  // namespace kport
