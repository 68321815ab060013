/// @file hosts.cpp   Hosts on any network, whose nodes become switches.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Host r P + i hangs on router r by port 0. Router r is node P R + r; its port labels are those of the network, as many
/// as any of its nodes has, then one for each of its hosts.
class HostsOnRouters final : public Fabric {
  public:
    HostsOnRouters(NodeId each, std::shared_ptr<const Topology> routers)
        : Fabric(fmt::format("hosts({},{})", each, routers->spec()), each * routers->nodes(), routers->nodes(),
                 routers->ports() + static_cast<Port>(each)),
          each_(each), routers_(std::move(routers)) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (!is_switch(v)) return p == 0 ? LinkEnd{hosts() + v / each_, first_host() + index(v)} : LinkEnd{};
        const NodeId r = v - hosts();
        const Port first = first_host();
        if (p >= first) return p - first < each_ ? LinkEnd{r * each_ + (p - first), 0} : LinkEnd{};
        const LinkEnd end = p < routers_->ports() ? routers_->across(r, p) : LinkEnd{};
        return end.node == no_node ? end : LinkEnd{hosts() + end.node, end.port};
    }
    [[nodiscard]] Port labels(NodeId v) const override {
        return is_switch(v) ? first_host() + static_cast<Port>(each_) : 1;
    }
    [[nodiscard]] Port degree(NodeId v) const override {
        return is_switch(v) ? routers_->degree(v - hosts()) + static_cast<Port>(each_) : 1;
    }
    [[nodiscard]] Port max_degree() const override { return routers_->max_degree() + static_cast<Port>(each_); }
    [[nodiscard]] std::uint64_t channels() const override { return routers_->channels() + 2 * hosts(); }
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override {
        if (across(v, p).node == no_node) return 0;
        return is_switch(v) && p < first_host() ? routers_->capacity(v - hosts(), p) : 1;
    }
    [[nodiscard]] std::uint64_t capacities() const override {
        return routers_->has_trunks() ? Fabric::capacities() : channels();
    }
    [[nodiscard]] std::uint64_t max_width() const override { return 1; }
    [[nodiscard]] bool joins_all_hosts() const override { return true; }
    [[nodiscard]] std::optional<Hops> one_message(NodeId from, NodeId to) const override { return distance(from, to); }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        return (is_switch(v) ? 0 : 1) + (is_switch(w) ? 0 : 1) + routers_->distance(router(v), router(w));
    }
    [[nodiscard]] Port route_through_switches(NodeId at, NodeId to) const override {
        if (!is_switch(at)) return at == to ? no_port : 0;
        const NodeId r = at - hosts();
        if (router(to) != r) return routers_->route(r, router(to));
        return is_switch(to) ? no_port : first_host() + index(to);
    }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override { return route_through_switches(at, to); }
    [[nodiscard]] bool bipartite() const override { return routers_->bipartite(); }

  private:
    /// The label of a router that leads to its first host.
    [[nodiscard]] Port first_host() const { return routers_->ports(); }
    [[nodiscard]] Port index(NodeId host) const { return static_cast<Port>(host % each_); }
    [[nodiscard]] NodeId router(NodeId v) const { return is_switch(v) ? v - hosts() : v / each_; }

    NodeId each_;
    std::shared_ptr<const Topology> routers_;
};

std::shared_ptr<const Topology> build_hosts(const Parameters& given) {
    constexpr std::size_t letters_max = 4096;  // limits nested brackets
    if (given.text().size() > letters_max) given.refuse(fmt::format("more than {} letters", letters_max));
    const std::size_t comma = given.text().find(',');
    const std::optional<std::uint64_t> each = to_count(given.text().substr(0, comma));
    if (comma == std::string_view::npos || !each || *each < 1)
        given.refuse("want hosts a router, at least 1, and the network, such as hosts(4,mesh:4x4)");
    const std::shared_ptr<const Topology> machine = make_topology(given.text().substr(comma + 1));
    const std::shared_ptr<const Topology> routers = links_without_switches(machine);
    if (routers == nullptr)
        given.refuse(fmt::format("{} has hosts and switches of its own; want a network without", machine->spec()));
    given.require_nodes((static_cast<double>(*each) + 1) * static_cast<double>(routers->nodes()));
    given.require_ports(*each + routers->ports());
    return hosts_of(std::make_shared<const HostsOnRouters>(*each, routers));
}

std::string draw_hosts(Dice& dice, NodeId most) {
    constexpr NodeId each_max = 3;
    const NodeId each = dice.between(1, std::min(each_max, most));
    for (;;) {
        const std::string routers = draw_topology(dice, most / each);
        if (links_without_switches(make_topology(routers)) != nullptr) return fmt::format("{},{}", each, routers);
    }
}

}  // namespace

std::vector<TopologyFamily> families_in_hosts() {
    return {{.name = "hosts",
             .form = "hosts(P,F)",
             .about = "P hosts on every node of the network F, whose nodes become switches",
             .build = build_hosts,
             .members = [](NodeId) { return std::vector<std::string>(); },
             .draw = draw_hosts}};
}

}  // namespace kport
