/// @file json_report.hpp   A run as JSON. Keys are stable; more may be added.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "emulator/report/report.hpp"

namespace KPORT_PUBLIC kport {

/// Keeps the order in which keys are written.
using Json = nlohmann::ordered_json;

/// The whole report. Unknown values are null: a bound, its "optimal", the source of an operation without one.
[[nodiscard]] Json json_report(const Report& report);

/// Indented text with a newline at the end. Invalid UTF-8 is replaced, never an error.
[[nodiscard]] std::string json_text(const Json& json);

/// "operation", and of a permutation "permutation": which one.
void put_operation(Json& json, const Collective& collective);
/// The machine's part, for the other commands: "topology", "machine", "source", "packet_bytes", "packets", "costs".
void put_machine(Json& json, const Machine& machine, const std::optional<NodeId>& root, std::uint64_t packet_bytes,
                 std::uint64_t packets_each);
/// "bounds" and "binding".
void put_bounds(Json& json, const BoundLines& bounds);
/// "algorithm" (a schedule that was checked: its name, and "form", "remarks"), "measured", "optimal", "checks", "violations", "violation_count", "waiting_circles", "holders", "stopped", "engine", "calibrated" (where a prediction was
/// asked for), "per_round".
void put_run(Json& json, const Report& report);

}  // namespace kport
