/// @file promise_file.hpp   Promises of packets in files: who owns what before the first round, and who must hold what after the last.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "emulator/schedule/collective.hpp"
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
/// `path` begins the messages, and stands in reports. Throws RequestError with line and column: for an unknown word, a node or a packet
/// that is not there, a packet that is wanted and that no node owns, a second title, topology, number of packets or relay, and for a
/// file without packets.
[[nodiscard]] ToldPromise read_promise(std::istream& in, const std::string& path,
                                       std::shared_ptr<const Topology> topology, std::uint64_t packet_bytes);

}  // namespace kport
