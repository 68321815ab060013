/// @file json_report.hpp   A run as JSON. Keys are stable; more may be added.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "emulator/report/report.hpp"

namespace KPORT_PUBLIC kport {

/// Keeps the order in which keys are written.
using Json = nlohmann::ordered_json;

/// Returns the whole report. Unknown values are null: a bound, its "optimal", the source of an operation without one.
[[nodiscard]] Json json_report(const Report& report);

/// Returns indented text with a newline at the end. Invalid UTF-8 is replaced, never an error.
[[nodiscard]] std::string json_text(const Json& json);

/// Adds "operation", "permutation" for a permutation, and "counts" where they differ, "sources" of a broadcast
/// from several nodes.
void put_operation(Json& json, const Collective& collective, const Topology& topology);
/// Adds the machine, for the other commands: "topology", "machine", "source", "packet_bytes", "packets", "costs".
void put_machine(Json& json, const Machine& machine, const std::optional<NodeId>& root, std::uint64_t packet_bytes,
                 std::uint64_t packets_each);
/// Adds "bounds" and "binding".
void put_bounds(Json& json, const BoundLines& bounds);
/// Adds "algorithm" (for a schedule that was checked: its name, and "form", "remarks"), "measured", "optimal",
/// "checks", "violations", "violation_count", "waiting_circles", "holders", "stopped", "engine", "calibrated" (if a
/// prediction was asked for), "load" and "critical_path" (if hotspots were asked for), "per_round".
void put_run(Json& json, const Report& report);

}  // namespace kport
