/// @file several.hpp   Options that name several values: sizes, numbers of packets, sources, machines.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport::requests {

/// The most sizes that a range or a list names.
inline constexpr std::size_t sizes_max = 1000;

/// "64", "8,64,4KiB", or "8..16MiB": from 8 bytes on, each twice the one before, as far as 16 MiB, which is the last;
/// "8..16MiB*8" takes another factor. Throws RequestError, which names the option.
[[nodiscard]] std::vector<std::uint64_t> sizes_of(std::string_view text, std::string_view option = "--bytes");
/// Numbers of packets, for --packets: "1,4,16", "1..64", "1..64*4". Throws RequestError.
[[nodiscard]] std::vector<std::uint64_t> packets_of(std::string_view text);

/// Whether it names several nodes: with a semicolon, with other commas than one node has in its name, or as "all".
[[nodiscard]] bool names_several(std::string_view source, const Topology& topology);

/// The words of names_several(), or the word of one node. Throws RequestError for more than `most`.
[[nodiscard]] std::vector<std::string> each_source(std::string_view source, const Topology& topology, std::size_t most);

/// The options of a machine and an algorithm that name several values with commas between them, without their dashes.
inline constexpr auto listed_options =
    std::to_array<std::string_view>({"ports", "switching", "combining", "keep", "duplex", "links", "noho", "policy"});

/// The most machines that a command compares.
inline constexpr std::uint64_t machines_max = 10'000;

/// The topologies of --sweep: words separated by spaces, one topology each, or many with numbers in
/// braces: "line:{9,17,33}", "hypercube:{2..16}", "line:{10..100..10}". Empty braces repeat the number before them:
/// "mesh:{4,8}x{}" gives "mesh:4x4" and "mesh:8x8". A shell that expands the braces itself gives the same topologies.
/// Does not check that they exist. Throws RequestError, also for more than `most`.
[[nodiscard]] std::vector<std::string> swept(std::string_view text, std::uint64_t most = machines_max);

}  // namespace kport::requests
