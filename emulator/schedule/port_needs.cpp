#include "emulator/schedule/port_needs.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

/// Looks for nodes that have no send or receive where an operation needs one.
class PortNeeds {
  public:
    PortNeeds(const Machine& machine, const Collective& collective)
        : machine_(machine), topology_(*machine.topology), collective_(collective), nodes_(topology_.nodes()) {}

    void require() const {
        if (collective_.operation == Operation::permutation) return of_permutation();
        if (collective_.rooted()) return from_root();
        const bool scans = collective_.scans();  // the first node needs no receive, the last one no send
        for (NodeId v = 0; v < nodes_; ++v) {
            if (!scans || v + 1 < nodes_) send(v);
            if (!scans || v > 0) receive(v);
        }
    }

  private:
    void of_permutation() const {
        for (NodeId v = 0; v < nodes_; ++v)
            if (const NodeId to = collective_.permutation.target(v, nodes_); to != v) {
                send(v);
                receive(to);
            }
    }

    /// Operations to the root: as from the root, reversed in time.
    void from_root() const {
        const bool inwards = collective_.inwards();
        for (NodeId v = 0; v < nodes_; ++v) (v == collective_.root) != inwards ? send(v) : receive(v);
        if (machine_.node_ports == nullptr || machine_.switching == Switching::wormhole) return;
        std::vector<bool> found(nodes_, false);
        std::vector<NodeId> waiting{collective_.root};
        found[collective_.root] = true;
        while (!waiting.empty()) {
            const NodeId v = waiting.back();
            waiting.pop_back();
            // A node that hands on receives as well as sends; all others but the root have been looked at.
            if ((inwards ? machine_.receives_of(v) : machine_.sends_of(v)) == 0) continue;
            for_each_neighbour(topology_, v, [&](NodeId w) {
                if (found[w]) return;
                found[w] = true;
                waiting.push_back(w);
            });
        }
        for (NodeId v = 0; v < nodes_; ++v)
            if (!found[v])
                throw DoesNotFit(fmt::format("node {} cannot {} node {}: on every path between them a node has no {}",
                                             topology_.name(v), inwards ? "reach" : "be reached from",
                                             topology_.name(collective_.root), inwards ? "receives" : "sends"));
    }

    void send(NodeId v) const {
        if (machine_.sends_of(v) == 0) refuse(v, "send");
    }
    void receive(NodeId v) const {
        if (machine_.receives_of(v) == 0) refuse(v, "receive");
    }
    [[noreturn]] void refuse(NodeId v, std::string_view what) const {
        throw DoesNotFit(fmt::format("node {0} has to {1} and has no {1}s: ports '{2}'; want at least 1",
                                     topology_.name(v), what, machine_.limits_of(v).text()));
    }

    const Machine& machine_;
    const Topology& topology_;
    const Collective& collective_;
    const NodeId nodes_;
};

}  // namespace

void require_ports(const Machine& machine, const Collective& collective) {
    if (machine.topology->nodes() < 2) return;
    if (machine.node_ports == nullptr && machine.ports.k() > 0) return;
    PortNeeds(machine, collective).require();
}

}  // namespace kport
