/// @file promise_file.hpp   Files that say what is asked: promises of packets and folds, numbers of packets, pairs of nodes.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/counts.hpp"
#include "emulator/schedule/permutation.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// A promise that was read.
struct ToldPromise {
    Collective collective;
    std::shared_ptr<const Topology> topology;
    std::vector<std::string> remarks = {};  ///< lawful, and perhaps not meant: a clause each
};

/// Reads lines, of which each says a fact; `#` begins a comment:
///
///     promise halves                a title; optional
///     on complete:4                 optional where `topology` is given, which counts
///     packets 4                     packets 0 to 3
///     size 2..3 = 128               bytes of some; the others have `packet_bytes`
///     owns 0-1: 0..1                nodes, as --members names them, and packets; lines add up
///     wants 3: 0, 2
///     relay none                    who owns and wants nothing sends and receives nothing; or `all` (default), or nodes that may
///
/// or, in place of packets, of contributions of nodes to segments, which are folded:
///
///     segments 2                    segments 0 and 1; `size` and `relay` as above
///     gives 0-3: 0, 1               nodes, and the segments that they contribute to; lines add up
///     takes 0: 0 of 0-3             nodes, a segment, and the nodes of whose contributions each takes the fold
///     takes 1-3: 1 of 0,2 in order  where only neighbours in that list, which ascends, are folded
///
/// `path` begins the messages, and stands in reports. Throws RequestError with line and column: for an unknown word, a node, a packet or a
/// segment that is not there, a packet that is wanted and that no node owns, a contribution that is taken and not given, a segment that a
/// node takes twice, packets beside segments, a second title, topology, number or relay, and for a file without packets and segments.
[[nodiscard]] ToldPromise read_promise(std::istream& in, const std::string& path,
                                       std::shared_ptr<const Topology> topology, std::uint64_t packet_bytes);

/// Returns the lines, without a topology, that read_promise() reads as the folds of a collective of one's own.
[[nodiscard]] std::string folds_in_lines(const Collective& collective, const Topology& topology);

/// Whether the text of --counts is the path of a file: it is no list of numbers, and not drawn.
[[nodiscard]] bool names_counts_file(std::string_view text);

/// Reads numbers apart by blanks, commas and line ends; of pairs the row of a node a line. `#` begins a comment. `what` is the
/// operation. Throws RequestError with line and column for what is no number of packets, for too few or too many numbers, and for a
/// file that cannot be read.
[[nodiscard]] Counts read_counts(const std::string& path, std::string_view what, NodeId nodes, CountedFor counted_for);

/// Files of pairs of nodes: who sends to whom.
struct NodePair {
    NodeId from;
    NodeId to;
    std::uint64_t line;  ///< of the file
};

/// Reads a file of lines `u v`; `#` begins a comment. `what` begins the messages. Throws RequestError with line and column for a
/// word that is no node of `nodes`, for a file that cannot be read, and for one without pairs.
[[nodiscard]] std::vector<NodePair> read_node_pairs(const std::string& path, const std::string& what, NodeId nodes);

/// Reads a permutation: in a line `v w` node v sends to w; nodes without a line send nothing. Throws RequestError as
/// read_node_pairs(), and for two lines of a node.
[[nodiscard]] Permutation read_permutation(const std::string& path, NodeId nodes);

}  // namespace kport
