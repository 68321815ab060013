#include "emulator/machine/machine.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

constexpr std::string_view words_of_switch_limit = ", switch limit ";
constexpr std::string_view words_of_adaptive = ", adaptive routing";
constexpr std::string_view words_of_ports_by = ", ports by '";
constexpr std::string_view words_of_hop_by = ", td by '";
constexpr std::string_view words_of_byte_by = ", tm by '";
constexpr std::string_view words_of_slow = ", slow '";

/// Returns the number after the words; no_port where they are not there.
Port switch_limit_in(std::string_view words) {
    const std::size_t at = words.find(words_of_switch_limit);
    if (at == std::string_view::npos) return no_port;
    const std::string_view rest = words.substr(at + words_of_switch_limit.size());
    const std::optional<std::uint64_t> limit = to_count(rest.substr(0, rest.find(',')));
    return limit && *limit > 0 && *limit < no_port ? static_cast<Port>(*limit) : no_port;
}

/// Returns what stands behind the words up to the next quote; empty where they are not there.
std::string quoted_after(std::string_view before, std::string_view words) {
    const std::size_t at = words.find(before);
    if (at == std::string_view::npos) return {};
    words.remove_prefix(at + before.size());
    return std::string(words.substr(0, words.find('\'')));
}

/// Returns ", td by 'latency', tm by '1/speed', slow '0--1=4'".
std::string in_words(const PriceSources& prices) {
    std::string words;
    if (!prices.hop_by.empty()) words += fmt::format("{}{}'", words_of_hop_by, prices.hop_by);
    if (!prices.byte_by.empty()) words += fmt::format("{}{}'", words_of_byte_by, prices.byte_by);
    if (!prices.slow.empty()) words += fmt::format("{}{}'", words_of_slow, fmt::join(prices.slow, ","));
    return words;
}

}  // namespace

PortLimit::PortLimit(Port k) : PortLimit(k, k) {}

PortLimit::PortLimit(Port sends, Port receives) : sends_(sends), receives_(receives) {
    if (sends == 0 && receives == 0)
        throw RequestError("ports '0': a node needs at least 1 port; use 1, 2, ... or all");
}

PortLimit PortLimit::at_most(Port most) const {
    const PortLimit least(most);
    return {std::min(sends_, least.sends_), std::min(receives_, least.receives_), Unchecked()};
}

namespace {

std::string limit_in_words(Port limit) { return limit == no_port ? "all" : fmt::to_string(limit); }

std::optional<Port> limit_of(std::string_view text) {
    if (text == "all") return no_port;
    const std::optional<std::uint64_t> limit = to_count(text);
    return limit && *limit < no_port ? std::optional(static_cast<Port>(*limit)) : std::nullopt;
}

}  // namespace

std::string PortLimit::text() const {
    return is_even() ? limit_in_words(sends_) : limit_in_words(sends_) + ":" + limit_in_words(receives_);
}

std::optional<PortLimit> port_limit_of(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::optional<Port> sends = limit_of(text.substr(0, colon));
    const std::optional<Port> receives = colon == std::string_view::npos ? sends : limit_of(text.substr(colon + 1));
    if (!sends || !receives || (*sends == 0 && *receives == 0)) return std::nullopt;
    return PortLimit(*sends, *receives);
}

void require_topology(const Machine& machine) {
    if (machine.topology == nullptr) throw RequestError("the machine has no topology; want make_topology(...)");
    if (machine.prices != nullptr && !machine.prices->known())
        throw RequestError("the prices of the links are not known; want the graph file that has them");
    if (machine.has_one_limit()) return;
    const NodePorts* own = machine.node_ports.get();
    if (own != nullptr && own->limits.size() != machine.topology->nodes())
        throw RequestError(
            fmt::format("ports by {}: the limits of the nodes are not known; want the graph file whose nodes "
                        "have the attribute",
                        quoted(own->attribute)));
    const auto uneven = own == nullptr ? std::vector<PortLimit>::const_iterator()
                                       : std::ranges::find_if_not(own->limits, &PortLimit::is_even);
    if (own != nullptr && uneven == own->limits.end()) return;
    const auto refuse = [&](std::string_view what) {
        const std::string where =
            own == nullptr
                ? std::string()
                : fmt::format(" of node {}", machine.topology->name(static_cast<NodeId>(uneven - own->limits.begin())));
        throw RequestError(fmt::format("ports '{}'{}: {} as many sends as receives; want one number, or all",
                                       (own == nullptr ? machine.ports : *uneven).text(), where, what));
    };
    if (machine.duplex == Duplex::half) refuse("half duplex ports have");
    if (machine.pairwise) refuse("pairwise machines have");
}

void require_direct(const Topology& topology, std::string_view what) {
    if (!has_switches(topology)) return;
    const NodeId switches = topology.fabric()->switches();
    throw RequestError(fmt::format("{} does not know switches yet, and {} has {} switch{}; want a machine without",
                                   what, topology.spec(), switches, switches == 1 ? "" : "es"));
}

void require_valid_switches(const Machine& machine) {
    if (machine.switch_limit == 0) throw RequestError("switch limit 0: a switch passes at least 1 message a round");
    if (machine.switch_limit != no_port && !has_switches(*machine.topology))
        throw RequestError(fmt::format("switch limit {}: {} has no switches; leave it out", machine.switch_limit,
                                       machine.topology->spec()));
}

void require_valid_routing(const Machine& machine) {
    if (machine.routing == Routing::adaptive && !machine.has_paths())
        throw RequestError(
            fmt::format("routing adaptive: messages on {} take one link, so there is no route to choose; want wormhole "
                        "switching or a machine with switches, or leave it out",
                        machine.topology->spec()));
}

void require_valid(const Costs& costs) {
    // Counts stay below 2^64, so that no sum of three products overflows.
    constexpr double most = 1e100;
    const auto check = [most](const char* name, double value) {
        if (!std::isfinite(value) || value < 0)
            throw RequestError(fmt::format("{} '{}': a cost is a finite number that is not negative", name, value));
        if (value > most) throw RequestError(fmt::format("{} '{}' is too large; want at most {}", name, value, most));
    };
    check("ts", costs.startup);
    check("td", costs.hop);
    check("tm", costs.byte);
}

std::string text(Duplex duplex) { return duplex == Duplex::full ? "full" : "half"; }
std::string text(Switching switching) { return switching == Switching::store_and_forward ? "sf" : "wh"; }
std::string text(Routing routing) { return routing == Routing::fixed ? "fixed" : "adaptive"; }
std::string text(Policy policy) { return policy == Policy::queue ? "queue" : "strict"; }

std::string text(Noho noho) { return noho == Noho::wide ? "wide" : "strict"; }

bool Machine::has_long_paths() const { return switching == Switching::wormhole || has_switches(*topology); }

PortLimit Machine::common_ports() const {
    if (node_ports == nullptr) return ports;
    PortLimit lowest = PortLimit::all();
    for (NodeId v = 0; v < topology->nodes(); ++v) {
        const PortLimit& own = limits_of(v);
        const Port width = topology->width(v);
        if (own.sends() < width) lowest = lowest.lower({own.sends(), no_port});
        if (own.receives() < width) lowest = lowest.lower({no_port, own.receives()});
    }
    return lowest;
}

PortLimit Machine::highest_ports() const {
    if (node_ports == nullptr) return ports;
    Port sends = 0;
    Port receives = 0;
    for (const PortLimit& own : node_ports->limits) {
        sends = std::max(sends, own.sends());
        receives = std::max(receives, own.receives());
    }
    return sends == 0 && receives == 0 ? ports : PortLimit(sends, receives);
}

std::string Machine::describe() const {
    return fmt::format("{}-port {} duplex, {}{}{}{}{}{}{}{}", ports.text(), text(duplex),
                       switching == Switching::store_and_forward ? "store-and-forward" : "wormhole",
                       links == Duplex::half ? ", half duplex links" : "", pairwise ? ", pairwise" : "",
                       noho == Noho::strict ? ", strict NOHO" : "",
                       switch_limit == no_port ? "" : fmt::format("{}{}", words_of_switch_limit, switch_limit),
                       routing == Routing::adaptive ? words_of_adaptive : "",
                       node_ports == nullptr ? "" : fmt::format("{}{}'", words_of_ports_by, node_ports->attribute),
                       prices == nullptr ? "" : in_words(prices->sources()));
}

namespace {

template <class Change>
Machine with_changed_ports(Machine machine, const Change& change) {
    machine.ports = change(machine.ports);
    if (machine.node_ports == nullptr) return machine;
    NodePorts own = *machine.node_ports;
    for (PortLimit& limits : own.limits) limits = change(limits);
    machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
    return machine;
}

}  // namespace

Machine with_reversed_ports(Machine machine) {
    return with_changed_ports(std::move(machine), [](const PortLimit& ports) { return ports.reversed(); });
}

Machine with_ports_at_most(Machine machine, Port k) {
    return with_changed_ports(std::move(machine), [k](const PortLimit& ports) { return ports.at_most(k); });
}

std::string rules_in_words(const Machine& machine) {
    return machine.describe() + (machine.combining ? "" : ", noncombining");
}

Machine machine_of_rules(std::string_view words) {
    const auto has = [&](std::string_view part) { return words.find(part) != std::string_view::npos; };
    const std::string_view ports = words.substr(0, words.find('-'));
    Machine machine;
    if (const std::optional<PortLimit> limit = port_limit_of(ports)) machine.ports = *limit;
    machine.duplex = has("-port half duplex") ? Duplex::half : Duplex::full;
    machine.switching = has(", wormhole") ? Switching::wormhole : Switching::store_and_forward;
    machine.links = has(", half duplex links") ? Duplex::half : Duplex::full;
    machine.pairwise = has(", pairwise");
    machine.noho = has(", strict NOHO") ? Noho::strict : Noho::wide;
    machine.switch_limit = switch_limit_in(words);
    machine.routing = has(words_of_adaptive) ? Routing::adaptive : Routing::fixed;
    machine.combining = !has(", noncombining");
    if (std::string name = quoted_after(words_of_ports_by, words); !name.empty())
        machine.node_ports = std::make_shared<const NodePorts>(NodePorts{std::move(name), {}});
    PriceSources prices{quoted_after(words_of_hop_by, words), quoted_after(words_of_byte_by, words)};
    if (std::string slow = quoted_after(words_of_slow, words); !slow.empty()) prices.slow.push_back(std::move(slow));
    if (prices != PriceSources()) machine.prices = std::make_shared<const LinkPrices>(std::move(prices));
    if (rules_in_words(machine) != words)
        throw RequestError(fmt::format("machine {} is not known; want one such as {}", quoted(words),
                                       quoted(rules_in_words(machine))));
    return machine;
}

}  // namespace kport
