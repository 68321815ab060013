#include "emulator/topology/renumbered.hpp"

#include <utility>

#include "emulator/base/error.hpp"

namespace kport {

Renumbered::Renumbered(std::shared_ptr<const Topology> graph, std::vector<std::uint32_t> numbers)
    : Topology(graph->spec(), graph->nodes(), graph->ports()), graph_(std::move(graph)), old_(std::move(numbers)),
      new_(old_.size()) {
    invariant(old_.size() == nodes(), "every node has a new number");
    for (std::uint32_t v = 0; v < old_.size(); ++v) new_[old_[v]] = v;
}

LinkEnd Renumbered::across(NodeId v, Port p) const {
    const LinkEnd end = graph_->across(old(v), p);
    return end.node == no_node ? end : LinkEnd{new_[end.node], end.port};
}

}  // namespace kport
