/// @file words.hpp   Formatting of numbers, times, names and hotspots in reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/base/numbers.hpp"
#include "emulator/report/report.hpp"

namespace kport {

/// "10", "10.64", "1e+20": whole numbers below 2^53 in full, others with up to ten digits.
[[nodiscard]] std::string number(double value);
/// As number(), with commas between thousands from five digits on: "1234", "12,345", "1,234,567.25". For people only: programs and
/// options do not read it.
[[nodiscard]] std::string grouped(double value);
[[nodiscard]] std::string grouped_count(std::uint64_t count);
/// "16,384 nodes", "1 node".
[[nodiscard]] std::string grouped_count(std::uint64_t count, std::string_view singular);
/// "0.1 ms", "250 ms", "3.2 s".
[[nodiscard]] std::string duration(double seconds);
/// "512 bytes", "1.5 MiB", "23.4 GiB".
[[nodiscard]] std::string memory(double bytes);
/// "broadcast from node 0 on hypercube:10", "permutation shift:3 on ring:8"; where nothing is promised "own program on
/// hypercube:10". `root` is nothing where the algorithm has none.
[[nodiscard]] std::string title(const Collective& collective, const std::optional<NodeId>& root,
                                const Topology& topology);
/// What a node that is served holds, as the operation's record says it; of several packets each "the packets", "contributions".
[[nodiscard]] std::string noun_of(const Operation& operation, std::uint64_t packets_each);
/// What one node that is served holds: "its packet", "the result".
[[nodiscard]] std::string noun_of_one(const Operation& operation, std::uint64_t packets_each);
/// "1024 nodes, 10240 channels, 1-port full duplex, store-and-forward"
[[nodiscard]] std::string machine_line(const Machine& machine);
/// Both, and what is moved (", 64-byte packet"), as the first line of a report; in several lines where they do not fit one of `width` columns.
[[nodiscard]] std::string request_line(const Collective& collective, const std::optional<NodeId>& root,
                                       const Machine& machine, std::size_t width);

/// Returns the lines "load" and "path" of a report; empty unless the report has hotspots.
[[nodiscard]] std::string hotspot_lines(const Report& report);

/// Returns "0 -> 1, 4 of 12 messages, 256 bytes" and "3 (1,1), messages 5 (...)"; "none" if nothing moved.
[[nodiscard]] std::string busiest_link_text(const Load& load, const Topology& topology);
[[nodiscard]] std::string busiest_node_text(const Load& load, const Topology& topology);

/// Returns what a critical path with messages ends with: "the last receipt, at node 7 in round 3, ends a chain of 3 messages; latency
/// 3.2 of 3.2", of the run's latency; and of the rounds in which no message of it moves.
[[nodiscard]] std::string critical_path_text(const CriticalPath& path, double latency, const Topology& topology);
[[nodiscard]] std::string other_rounds_text(const CriticalPath& path);

/// Returns why a message of a critical path comes so late: "waits for its packet", "waits for a port of node 3 (1,1)"; empty for the
/// first one.
[[nodiscard]] std::string reason_of(const CriticalMessage& message, const Topology& topology);

/// Returns "5 (3 sent, 2 received)"; of a node that others' messages pass "5 (3 sent, 1 received, 1 passed on)".
[[nodiscard]] std::string messages_of(const NodeLoad& node);

}  // namespace kport
