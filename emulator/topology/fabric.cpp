#include "emulator/topology/fabric.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/complete.hpp"

namespace kport {

namespace {

constexpr std::uint32_t no_way = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t fabric_steps_max = std::uint64_t{1} << 33;  // takes a minute

}  // namespace

// ------------------------------------------------------------------------------------------------------------- fabrics

Fabric::Fabric(std::string spec, NodeId hosts, NodeId switches, Port ports)
    : Topology(std::move(spec), hosts + switches, ports), hosts_(hosts) {}

std::uint64_t Fabric::capacity(NodeId v, Port p) const { return across(v, p).node == no_node ? 0 : 1; }

std::uint64_t Fabric::width(NodeId v) const {
    std::uint64_t sum = 0;
    for (Port p = 0, end = labels(v); p < end; ++p) sum += capacity(v, p);
    return sum;
}

std::uint64_t Fabric::max_width() const {
    std::uint64_t most = 0;
    for (NodeId v = 0; v < hosts_; ++v) most = std::max(most, width(v));
    return most;
}

std::uint64_t Fabric::capacities() const {
    std::uint64_t sum = 0;
    for (NodeId v = 0; v < nodes(); ++v) sum += width(v);
    return sum;
}

std::shared_ptr<const Fabric::Table> Fabric::ways_to(NodeId to) const {
    constexpr std::uint64_t bytes_max = std::uint64_t{1} << 28;
    constexpr std::uint64_t tables_min = 4;
    const std::scoped_lock lock(mutex_);
    if (const auto found = ways_.find(to); found != ways_.end()) return found->second;
    if (ways_.size() >= std::max(tables_min, bytes_max / (nodes() * sizeof(std::uint32_t)))) ways_.clear();
    auto table = std::make_shared<Table>(nodes(), no_way);
    std::vector<NodeId> level{to};
    std::vector<NodeId> next;
    (*table)[to] = 0;
    for (std::uint32_t d = 1; !level.empty(); ++d) {
        for (const NodeId v : level)
            for_each_neighbour(*this, v, [&](NodeId w) {
                if ((*table)[w] != no_way) return;
                (*table)[w] = d;
                if (is_switch(w)) next.push_back(w);
            });
        level.swap(next);
        next.clear();
    }
    ways_.emplace(to, table);
    return table;
}

std::optional<Hops> Fabric::one_message(NodeId from, NodeId to) const {
    const std::uint32_t links = (*ways_to(to))[from];
    return links == no_way ? std::nullopt : std::optional<Hops>(links);
}

Port Fabric::route_through_switches(NodeId at, NodeId to) const {
    const std::shared_ptr<const Table> table = ways_to(to);
    if ((*table)[at] == no_way) return no_port;
    for (Port p = 0, end = labels(at); p < end; ++p) {
        const NodeId next = across(at, p).node;
        if (next != no_node && (is_switch(next) || next == to) && (*table)[next] < (*table)[at]) return p;
    }
    return no_port;
}

void Fabric::append_route(NodeId from, NodeId to, bool any, std::vector<Port>& route) const {
    while (from != to) {
        const Port port = any ? this->route(from, to) : route_through_switches(from, to);
        invariant(port != no_port, "a message is sent to a host that one message reaches");
        route.push_back(port);
        from = across(from, port).node;
    }
}

bool Fabric::joins_all_hosts() const {
    if (hosts_ == 1) return true;
    if (switches() == 0) return channels() / hosts_ == hosts_ - 1 && channels() % hosts_ == 0;
    // By the connected sets of switches: one of them has to touch every host, unless links join the hosts left.
    std::vector<bool> seen(nodes(), false);
    for (NodeId first = hosts_; first < nodes(); ++first) {
        if (seen[first]) continue;
        std::vector<bool> touched(hosts_, false);
        NodeId count = 0;
        std::vector<NodeId> open{first};
        seen[first] = true;
        while (!open.empty()) {
            const NodeId v = open.back();
            open.pop_back();
            for_each_neighbour(*this, v, [&](NodeId w) {
                if (!is_switch(w)) {
                    if (!touched[w]) ++count;
                    touched[w] = true;
                } else if (!seen[w]) {
                    seen[w] = true;
                    open.push_back(w);
                }
            });
        }
        if (count == hosts_) return true;
    }
    return false;
}

std::vector<std::vector<NodeId>> Fabric::parts() const { return {}; }

std::vector<std::uint32_t> Fabric::hosts_one_message_from(NodeId v) const {
    const std::shared_ptr<const Table> table = ways_to(v);
    std::vector<std::uint32_t> found;
    for (NodeId w = 0; w < hosts_; ++w)
        if (w != v && (*table)[w] != no_way) found.push_back(static_cast<std::uint32_t>(w));
    return found;
}

// ------------------------------------------------------------------------------------------------------ stored fabrics

namespace {

Port ports_of_links(const std::vector<StoredFabric::Link>& links) {
    Port ports = 0;
    for (const StoredFabric::Link& link : links) ports = std::max({ports, link.port_of_a + 1, link.port_of_b + 1});
    return ports;
}

}  // namespace

StoredFabric::StoredFabric(Shape shape, const std::vector<Link>& links, std::vector<std::string> names)
    : Fabric(std::move(shape.spec), shape.hosts, shape.switches, ports_of_links(links)), first_(nodes() + 1, 0),
      names_(std::move(names)) {
    std::vector<Port> labels(nodes(), 0);
    for (const Link& link : links) {
        labels[link.a] = std::max(labels[link.a], link.port_of_a + 1);
        labels[link.b] = std::max(labels[link.b], link.port_of_b + 1);
    }
    for (NodeId v = 0; v < nodes(); ++v) first_[v + 1] = first_[v] + labels[v];
    ends_.resize(first_.back());
    for (const Link& link : links) {
        const auto capacity = static_cast<std::uint32_t>(link.capacity);
        if (capacity == 0) continue;
        ends_[first_[link.a] + link.port_of_a] = {link.b, link.port_of_b, capacity};
        ends_[first_[link.b] + link.port_of_b] = {link.a, link.port_of_a, capacity};
    }
    for (NodeId v = 0; v < names_.size(); ++v) by_name_.emplace(names_[v], v);
}

LinkEnd StoredFabric::across(NodeId v, Port p) const {
    if (p >= labels(v)) return {};
    const End& end = ends_[first_[v] + p];
    return {end.node, end.port};
}

Port StoredFabric::labels_in_use() const {
    Port end = 0;
    for (NodeId v = 0; v < nodes(); ++v)
        for (Port p = end; p < labels(v); ++p)
            if (ends_[first_[v] + p].node != no_node) end = p + 1;
    return end;
}

std::uint64_t StoredFabric::capacity(NodeId v, Port p) const {
    return p < labels(v) ? ends_[first_[v] + p].capacity : 0;
}

std::string StoredFabric::own_label(NodeId v) const {
    return names_.empty() || names_[v] == std::to_string(v) ? std::string() : names_[v];
}

NodeId StoredFabric::own_node(std::string_view text) const {
    if (const auto named = by_name_.find(text); named != by_name_.end()) return named->second;
    return Topology::own_node(text);
}

std::vector<StoredFabric::Link> merged(const std::vector<StoredFabric::Link>& links) {
    std::vector<StoredFabric::Link> once;
    std::map<std::pair<NodeId, NodeId>, std::size_t> place;
    for (const StoredFabric::Link& link : links) {
        const auto [at, is_new] = place.try_emplace(std::minmax(link.a, link.b), once.size());
        if (!is_new) once[at->second].capacity += link.capacity;
        once.push_back(link);
        if (!is_new) once.back().capacity = 0;
    }
    return once;
}

// ------------------------------------------------------------------------------------------------------ graphs of hosts

namespace {

/// Reads the name of a host.
NodeId host_named(const Fabric& fabric, std::string_view text) {
    const NodeId v = fabric.node(text);
    if (fabric.is_switch(v))
        throw RequestError(
            fmt::format("source {}: node {} of {} is a switch, which computes nothing; want a host, 0 to {}",
                        quoted(text), fabric.name(v), fabric.spec(), fabric.hosts() - 1));
    return v;
}

/// One message joins any two hosts.
class CompleteHosts final : public Complete {
  public:
    explicit CompleteHosts(const std::shared_ptr<const Fabric>& fabric) : Complete(fabric->spec(), fabric->hosts()) {
        lay_on(fabric);
    }
    [[nodiscard]] std::string own_label(NodeId v) const override { return wires().label(v); }
    [[nodiscard]] NodeId own_node(std::string_view text) const override { return host_named(*fabric(), text); }
};

/// Hosts of which some are several messages apart. Ports lead to the others in ascending order.
class SomeHosts final : public Topology {
  public:
    SomeHosts(const std::shared_ptr<const Fabric>& fabric, std::vector<std::vector<std::uint32_t>> joined)
        : Topology(fabric->spec(), fabric->hosts(), most_of(joined)), joined_(std::move(joined)) {
        lay_on(fabric);
        for (const auto& others : joined_) channels_ += others.size();
    }
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (p >= degree(v)) return {};
        const NodeId w = joined_[v][p];
        return {w, port_to(w, v)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const auto found = std::ranges::lower_bound(joined_[v], w);
        return found != joined_[v].end() && *found == w ? static_cast<Port>(found - joined_[v].begin()) : no_port;
    }
    [[nodiscard]] Port degree(NodeId v) const override { return static_cast<Port>(joined_[v].size()); }
    [[nodiscard]] Port labels(NodeId v) const override { return degree(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return channels_; }
    [[nodiscard]] std::string own_label(NodeId v) const override { return wires().label(v); }
    [[nodiscard]] NodeId own_node(std::string_view text) const override { return host_named(*fabric(), text); }

  private:
    static Port most_of(const std::vector<std::vector<std::uint32_t>>& joined) {
        const auto most = std::ranges::max_element(joined, {}, [](const auto& others) { return others.size(); });
        return static_cast<Port>(most->size());
    }

    std::vector<std::vector<std::uint32_t>> joined_;
    std::uint64_t channels_ = 0;
};

}  // namespace

std::shared_ptr<const Topology> hosts_of(const std::shared_ptr<const Fabric>& fabric,
                                         std::shared_ptr<const Membership> membership) {
    const auto belonging = [&](const std::shared_ptr<Topology>& hosts) {
        hosts->belong_to(std::move(membership));
        return hosts;
    };
    if (fabric->joins_all_hosts()) return belonging(std::make_shared<CompleteHosts>(fabric));
    std::vector<std::vector<std::uint32_t>> joined;
    if (fabric->switches() == 0) {
        for (NodeId v = 0; v < fabric->hosts(); ++v) {
            std::vector<std::uint32_t>& near = joined.emplace_back();
            for_each_neighbour(*fabric, v, [&](NodeId w) { near.push_back(static_cast<std::uint32_t>(w)); });
            std::ranges::sort(near);
        }
        return belonging(std::make_shared<SomeHosts>(fabric, std::move(joined)));
    }
    if (fabric->hosts() > fabric_steps_max / fabric->channels())
        throw DoesNotFit(fmt::format("{}: which of its {} hosts are one message apart takes too long to find",
                                     fabric->spec(), fabric->hosts()));
    for (NodeId v = 0; v < fabric->hosts(); ++v) joined.push_back(fabric->hosts_one_message_from(v));
    return belonging(std::make_shared<SomeHosts>(fabric, std::move(joined)));
}

TrunkedGraph::TrunkedGraph(std::shared_ptr<const Topology> graph)
    : Fabric(graph->spec(), graph->nodes(), 0, graph->ports()), graph_(std::move(graph)) {}

std::uint64_t TrunkedGraph::capacity(NodeId v, Port p) const {
    return graph_->across(v, p).node == no_node ? 0 : graph_->capacity(v, p);
}

std::optional<Hops> TrunkedGraph::one_message(NodeId from, NodeId to) const {
    if (from == to) return 0;
    return graph_->port_to(from, to) == no_port ? std::nullopt : std::optional<Hops>(1);
}

bool has_switches(const Topology& topology) {
    return topology.fabric() != nullptr && topology.fabric()->switches() != 0;
}

std::shared_ptr<const Topology> with_trunks(std::shared_ptr<const Topology> graph) {
    if (!graph->has_trunks()) return graph;
    return hosts_of(std::make_shared<const TrunkedGraph>(std::move(graph)));
}

std::shared_ptr<const Topology> links_without_switches(const std::shared_ptr<const Topology>& machine) {
    const Fabric* fabric = machine->fabric();
    if (fabric == nullptr) return machine;
    return fabric->switches() == 0 ? std::shared_ptr<const Topology>(machine, &machine->wires()) : nullptr;
}

}  // namespace kport
