#include "emulator/engine/route_choice.hpp"

#include "emulator/base/error.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

RouteChoice::RouteChoice(const Machine& machine)
    : wires_(machine.topology->wires()),
      through_(machine.switching == Switching::wormhole ? nullptr : machine.topology->fabric()) {}

Hops RouteChoice::links(NodeId from, NodeId to) const {
    if (through_ == nullptr) return wires_.distance(from, to);
    constexpr Hops never = ~Hops{0} - 1;
    return through_->one_message(from, to).value_or(never);
}

bool RouteChoice::first_free(NodeId from, NodeId to, const IsFree& is_free, std::vector<Port>& route) const {
    const Hops all = links(from, to);
    Nodes dead;  // no free route leads on from there
    std::vector<NodeId> path{from};
    route.clear();
    for (Port port = 0; path.back() != to;) {
        port = next_port(path.back(), port, to, all - route.size(), dead, is_free);
        if (port != no_port) {
            route.push_back(port);
            path.push_back(wires_.across(path.back(), port).node);
            port = 0;
            continue;
        }
        dead.insert(path.back());
        path.pop_back();
        if (path.empty()) return false;
        port = route.back() + 1;
        route.pop_back();
    }
    return true;
}

void RouteChoice::first(NodeId from, NodeId to, std::vector<Port>& route) const {
    const bool found = first_free(
        from, to, [](NodeId, Port) { return true; }, route);
    invariant(found, "a message is sent to a host that one message reaches");
}

Port RouteChoice::next_port(NodeId at, Port port, NodeId to, Hops left, const Nodes& dead,
                            const IsFree& is_free) const {
    if (left == 1) {
        const Port last = wires_.port_to(at, to);
        return last >= port && last != no_port && is_free(at, last) ? last : no_port;
    }
    for (const Port end = wires_.labels(at); port < end; ++port) {
        const NodeId next = wires_.across(at, port).node;
        if (next == no_node || dead.contains(next)) continue;
        if (through_ != nullptr && !through_->is_switch(next)) continue;
        if (links(next, to) + 1 == left && is_free(at, port)) return port;
    }
    return no_port;
}

}  // namespace kport
