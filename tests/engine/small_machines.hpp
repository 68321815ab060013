/// @file small_machines.hpp   Small machines on which every row of the catalogue runs, on some of them.
#pragma once

#include <vector>

#include "tests/support/traces.hpp"

namespace kport::test {

inline std::vector<Machine> small_machines() {
    std::vector<Machine> machines;
    for (const char* spec : {"hypercube:3", "ring:5", "line:5", "mesh:3x4", "mesh:4x4", "torus:3x4", "complete:7",
                             "cbt:2", "ring:8", "complete:8", "knoedel:3,8", "star:5"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const bool combining : {true, false}) {
                    machines.push_back(machine(spec, ports));
                    machines.back().switching = switching;
                    machines.back().combining = combining;
                }
    return machines;
}

}  // namespace kport::test
