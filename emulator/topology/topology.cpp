#include "emulator/topology/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/members.hpp"
#include "emulator/topology/searches.hpp"

namespace kport {

Topology::Topology(std::string spec, NodeId nodes, Port ports)
    : spec_(std::move(spec)), nodes_(nodes), ports_(ports), searches_(std::make_unique<Searches>()) {}

Topology::~Topology() = default;

void Topology::lay_on(std::shared_ptr<const Fabric> fabric) {
    fabric_ = std::move(fabric);
    wires_ = fabric_.get();
}

namespace {

Port as_ports(std::uint64_t width) { return static_cast<Port>(std::min<std::uint64_t>(width, no_port - 1)); }

}  // namespace

Port Topology::width_in_fabric(NodeId v) const { return as_ports(fabric_->width(v)); }

Port Topology::max_width_in_fabric() const { return as_ports(fabric_->max_width()); }

Port Topology::port_to(NodeId v, NodeId w) const {
    for (Port p = 0, end = labels(v); p < end; ++p)
        if (across(v, p).node == w) return p;
    return no_port;
}

Port Topology::degree(NodeId v) const {
    Port links = 0;
    for (Port p = 0; p < ports_; ++p) links += across(v, p).node == no_node ? 0U : 1U;
    return links;
}

Port Topology::max_degree() const { return vertex_symmetric() ? degree(0) : searches_->counts(*this).max_degree; }

std::uint64_t Topology::channels() const {
    return vertex_symmetric() ? nodes_ * degree(0) : searches_->counts(*this).channels;
}

NodeId Topology::seen_from(NodeId, NodeId) const { return no_node; }

Hops Topology::distance(NodeId v, NodeId w) const {
    const NodeId seen = seen_from(v, w);
    return seen == no_node ? searches_->unknown_distance(*this, v, w) : searches_->distance(*this, 0, seen);
}

Hops Topology::eccentricity(NodeId v) const { return distance_profile(v).size() - 1; }

Hops Topology::diameter() const { return vertex_symmetric() ? eccentricity(0) : searches_->extremes(*this).most; }

Hops Topology::radius() const { return vertex_symmetric() ? eccentricity(0) : searches_->extremes(*this).least; }

std::vector<std::uint64_t> Topology::distance_profile(NodeId v) const {
    return searches_->from(*this, vertex_symmetric() ? 0 : v)->profile;
}

std::optional<bool> Topology::vertex_symmetry() const { return searches_->symmetric(*this); }

bool Topology::bipartite() const { return !searches_->from(*this, 0)->odd_cycle; }

Port Topology::route(NodeId at, NodeId to) const {
    if (searches_->searches_for_ways()) return searches_->route(*this, at, to);
    const Hops far = distance(to, at);
    for (Port p = 0, end = labels(at); p < end; ++p)
        if (const NodeId next = across(at, p).node; next != no_node && distance(to, next) < far) return p;
    return no_port;
}

std::uint64_t Topology::sum_of_distances(NodeId v) const {
    const std::string what = fmt::format("the sum of distances in {}", spec_);
    const std::vector<std::uint64_t> profile = distance_profile(v);
    std::uint64_t sum = 0;
    for (Hops d = 0; d < profile.size(); ++d) sum = checked_sum(sum, checked_product(d, profile[d], what), what);
    return sum;
}

std::optional<PublishedSchedule> Topology::published_broadcast(NodeId) const { return std::nullopt; }

std::string Topology::own_label(NodeId) const { return {}; }

std::string Topology::label(NodeId v) const {
    return membership_ == nullptr ? own_label(v) : membership_->whole->label(number(v));
}

// The switches, behind the members, have the numbers of the whole machine.
NodeId Topology::number_of_member(NodeId v) const {
    return v < nodes() ? membership_->nodes.node(v) : membership_->whole->nodes() + (v - nodes());
}

std::string Topology::name(NodeId v) const {
    const std::string called = label(v);
    return called.empty() ? std::to_string(number(v)) : fmt::format("{} ({})", number(v), called);
}

void Topology::belong_to(std::shared_ptr<const Membership> membership) { membership_ = std::move(membership); }

NodeId Topology::node(std::string_view text) const {
    if (membership_ == nullptr) return own_node(text);
    const NodeId v = membership_->whole->node(text);
    const NodeId rank = membership_->nodes.rank(v);
    if (rank == no_node)
        throw RequestError(fmt::format("source {}: node {} is no member; want one, such as {}", quoted(text),
                                       membership_->whole->name(v), name(0)));
    return rank;
}

NodeId Topology::own_node(std::string_view text) const {
    const std::optional<NodeId> id = to_count(text.substr(text.starts_with('=') ? 1 : 0));
    if (!id || *id >= nodes_) refuse_node(text);
    return *id;
}

void Topology::refuse_node(std::string_view text, std::string_view also) const {
    const std::string there =
        nodes_ == 1 ? std::string("only node 0") : fmt::format("nodes 0 to {}{}", nodes_ - 1, also);
    throw RequestError(fmt::format("source {}: {} has {}", quoted(text), spec_, there));
}

}  // namespace kport
