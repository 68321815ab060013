/// @file several.hpp   Options that name several values: sizes, numbers of packets, sources, machines; the machines that they make together.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/requests/command_line.hpp"
#include "app/session/experiment.hpp"
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

/// The machines of a comparison: every combination of the given values.
struct Variants {
    std::vector<std::string> columns;  ///< the varied options: "topology", "ports", ...; empty: one machine
    std::vector<Experiment> experiments;
    std::vector<std::vector<std::string>> values;  ///< of each experiment: one for each column, as the user wrote it
};

/// --sweep for the topology; listed_options, --bytes and --packets (also ranges), --ts, --td and --tm may have several values with
/// commas between them; for `compare` --source too, for `bench` --threads.
/// The topology changes last, the source first. Throws RequestError, DoesNotFit.
[[nodiscard]] Variants variants_of(const Words& words);

/// The common part: "broadcast on mesh:4x5   3 machines, 1-port full duplex, store-and-forward, source 0, ..."
[[nodiscard]] std::string common_line(const Words& words, const Variants& variants, std::string_view one_of_them);

}  // namespace kport::requests
