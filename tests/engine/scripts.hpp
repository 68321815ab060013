/// @file scripts.hpp   Random machines and scripted programs that compete, wait for ever, and send packets that they do not hold.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/engine/reference.hpp"

namespace kport::test {

/// Draws whole numbers; RapidCheck shrinks what it draws, a seed serves the large machines.
using Draw = std::function<std::uint64_t(std::uint64_t below)>;

inline Machine any_machine(const std::string& spec, const Draw& draw) {
    Machine any = machine(spec);
    const std::uint64_t k = draw(8);
    any.ports = k < 4 ? PortLimit(static_cast<Port>(k + 1)) : PortLimit::all();
    any.duplex = draw(2) == 0 ? Duplex::full : Duplex::half;
    if (any.duplex == Duplex::full && k > 4) {  // half duplex ports have one limit
        const std::array uneven = {PortLimit(1, 2), PortLimit(2, 1), PortLimit(no_port, 1)};
        any.ports = uneven[k - 5];
    }
    any.switching = draw(2) == 0 ? Switching::store_and_forward : Switching::wormhole;
    return any;
}

inline Act any_send(const Machine& machine, NodeId v, const Draw& draw) {
    const Topology& topology = *machine.topology;
    if (machine.switching == Switching::wormhole && draw(2) == 0) {
        const NodeId to = (v + 1 + draw(std::min<NodeId>(topology.nodes() - 1, 100))) % topology.nodes();
        return {Act::Kind::send, no_port, to, own_route(topology, v, to)};
    }
    std::vector<Port> there;
    for (Port port = 0; port < topology.ports(); ++port)
        if (topology.across(v, port).node != no_node) there.push_back(port);
    return {Act::Kind::send, there[draw(there.size())]};
}

inline Script any_script(const Machine& machine, NodeId v, std::uint64_t acts_max, const Draw& draw) {
    Script script(draw(acts_max + 1));
    for (Act& act : script) {
        const std::uint64_t kind = draw(8);
        if (kind == 0)
            act = {Act::Kind::receive};
        else if (kind == 1)
            act = {Act::Kind::receive_by, static_cast<Port>(draw(machine.topology->ports()))};
        else if (kind == 2)
            act = {Act::Kind::next_round};
        else
            act = any_send(machine, v, draw);
    }
    return script;
}

inline std::vector<Script> any_scripts(const Machine& machine, std::uint64_t acts_max, const Draw& draw) {
    std::vector<Script> scripts;
    for (NodeId v = 0; v < machine.topology->nodes(); ++v) scripts.push_back(any_script(machine, v, acts_max, draw));
    return scripts;
}

}  // namespace kport::test
