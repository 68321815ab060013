/// @file machines.hpp   Small random machines and requests, for tests of the algorithms.
#pragma once

#include <string>

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include "algorithms/catalogue.hpp"

namespace kport::test {

/// Any topology of at most about sixty nodes.
inline std::string any_spec() {
    const auto side = [](int most) { return *rc::gen::inRange(1, most + 1); };
    switch (*rc::gen::inRange(0, 9)) {
        case 0: return fmt::format("hypercube:{}", side(6) - 1);
        case 1: return fmt::format("line:{}", side(40));
        case 2: return fmt::format("ring:{}", side(40));
        case 3: return fmt::format("complete:{}", side(30));
        case 4: return fmt::format("cbt:{}", side(5) - 1);
        case 5: return fmt::format("mesh:{}x{}", side(8), side(8));
        case 6: return fmt::format("torus:{}x{}", side(8), side(8));
        case 7: return fmt::format("mesh:{}x{}x{}", side(4), side(4), side(4));
        default: return fmt::format("torus:{}x{}x{}", side(4), side(4), side(4));
    }
}

inline Machine any_machine() {
    Machine machine;
    machine.topology = make_topology(any_spec());
    machine.ports = *rc::gen::element(PortLimit(1), PortLimit(1), PortLimit(2), PortLimit(3), PortLimit::all());
    machine.switching = *rc::gen::element(Switching::store_and_forward, Switching::wormhole);
    machine.duplex = *rc::gen::element(Duplex::full, Duplex::full, Duplex::half);
    machine.links = *rc::gen::element(Duplex::full, Duplex::full, Duplex::half);
    machine.pairwise = *rc::gen::inRange(0, 4) == 0;
    if (machine.duplex == Duplex::full && !machine.pairwise && *rc::gen::inRange(0, 3) == 0)
        machine.ports = *rc::gen::element(PortLimit(1, 2), PortLimit(2, 1), PortLimit(3, no_port));
    machine.noho = *rc::gen::element(Noho::wide, Noho::strict);
    machine.costs = {100, static_cast<double>(*rc::gen::inRange(0, 8)), 0.5};
    return machine;
}

inline Collective any_collective(const Machine& machine) {
    Collective collective;
    collective.root = *rc::gen::inRange<NodeId>(0, machine.topology->nodes());
    collective.packet_bytes = *rc::gen::element<std::uint64_t>(0, 1, 8, 13);
    return collective;
}

}  // namespace kport::test
