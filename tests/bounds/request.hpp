/// @file request.hpp   Machines and bounds in one line, for the tests of the bounds.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/catalogue.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

/// A machine as the command line describes it: ports "1" or "all", switching "sf" or "wh" in any case.
inline Machine machine_of(std::string_view spec, std::string_view ports = "1", std::string_view switching = "sf",
                          bool combining = true) {
    Machine machine;
    machine.topology = make_topology(spec);
    machine.ports = port_limit_of(ports).value();
    machine.switching = switching == "sf" || switching == "SF" ? Switching::store_and_forward : Switching::wormhole;
    machine.combining = combining;
    return machine;
}

/// Bounds, and what the catalogue reaches of them, with a packet of one byte, so that volume counts packets.
inline Bounds bounds_of(Operation operation, const Machine& machine, NodeId root = 0) {
    return reached_bounds(machine, {operation, root, 1});
}

/// The bound's value; -1, which is no bound, where there is none.
inline double value_of(const Bound& bound) { return bound.largest().value_or(-1); }

}  // namespace kport
