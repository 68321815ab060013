/// @file by_rule.hpp   Base of families whose rule may name a neighbour by several ports, or the node itself.
#pragma once

#include <string>
#include <utility>

#include "emulator/topology/topology.hpp"

namespace kport {

/// Family defines `NodeId named(NodeId v, Port p) const`, the node that its rule names by port p of v, and `Port
/// first_port(NodeId v, NodeId w) const`, the first port by which it names w, or no_port. The first port that names a
/// neighbour leads there; later ones, and those that name v itself, are absent.
template <class Family>
class ByRule : public Topology {
  public:
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const final {
        const NodeId w = rule().named(v, p);
        if (w == v || rule().first_port(v, w) != p) return {};
        return {w, rule().first_port(w, v)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const final { return v == w ? no_port : rule().first_port(v, w); }

  private:
    friend Family;
    ByRule(std::string spec, NodeId nodes, Port ports) : Topology(std::move(spec), nodes, ports) {}

    [[nodiscard]] const Family& rule() const { return static_cast<const Family&>(*this); }
};

}  // namespace kport
