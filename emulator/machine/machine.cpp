#include "emulator/machine/machine.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

constexpr std::string_view words_of_switch_limit = ", switch limit ";

/// Returns the number after the words; no_port where they are not there.
Port switch_limit_in(std::string_view words) {
    const std::size_t at = words.find(words_of_switch_limit);
    if (at == std::string_view::npos) return no_port;
    const std::string_view rest = words.substr(at + words_of_switch_limit.size());
    const std::optional<std::uint64_t> limit = to_count(rest.substr(0, rest.find(',')));
    return limit && *limit > 0 && *limit < no_port ? static_cast<Port>(*limit) : no_port;
}

}  // namespace

PortLimit::PortLimit(Port k) : k_(k) {
    if (k == 0) throw RequestError("ports '0': a node needs at least 1 port; use 1, 2, ... or all");
}

std::string PortLimit::text() const { return is_all() ? "all" : fmt::to_string(k_); }

void require_topology(const Machine& machine) {
    if (machine.topology == nullptr) throw RequestError("the machine has no topology; want make_topology(...)");
    if (machine.topology->has_trunks())
        throw RequestError(
            fmt::format("topology {}: it has trunks, links of several channels, and machines with trunks do "
                        "not run yet; want one without",
                        quoted(machine.topology->spec())));
}

void require_direct(const Topology& topology, std::string_view what) {
    const Fabric* fabric = topology.fabric();
    if (fabric == nullptr) return;
    throw RequestError(fmt::format(
        "{} does not know switches and trunks yet, and {} has {}; want a machine without", what, topology.spec(),
        fabric->switches() == 0 ? "trunks"
                                : fmt::format("{} switch{}", fabric->switches(), fabric->switches() == 1 ? "" : "es")));
}

void require_valid_switches(const Machine& machine) {
    const Fabric* fabric = machine.topology->fabric();
    const bool has_switches = fabric != nullptr && fabric->switches() > 0;
    if (machine.switch_limit == 0) throw RequestError("switch limit 0: a switch passes at least 1 message a round");
    if (machine.switch_limit != no_port && !has_switches)
        throw RequestError(fmt::format("switch limit {}: {} has no switches; leave it out", machine.switch_limit,
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
std::string text(Policy policy) { return policy == Policy::queue ? "queue" : "strict"; }

std::string text(Noho noho) { return noho == Noho::wide ? "wide" : "strict"; }

std::string Machine::describe() const {
    return fmt::format("{}-port {} duplex, {}{}{}{}{}", ports.text(), text(duplex),
                       switching == Switching::store_and_forward ? "store-and-forward" : "wormhole",
                       links == Duplex::half ? ", half duplex links" : "", pairwise ? ", pairwise" : "",
                       noho == Noho::strict ? ", strict NOHO" : "",
                       switch_limit == no_port ? "" : fmt::format("{}{}", words_of_switch_limit, switch_limit));
}

std::string rules_in_words(const Machine& machine) {
    return machine.describe() + (machine.combining ? "" : ", noncombining");
}

Machine machine_of_rules(std::string_view words) {
    const auto has = [&](std::string_view part) { return words.find(part) != std::string_view::npos; };
    const std::string_view ports = words.substr(0, words.find('-'));
    const std::optional<std::uint64_t> k = to_count(ports);
    Machine machine;
    if (ports == "all")
        machine.ports = PortLimit::all();
    else if (k && *k > 0 && *k < no_port)
        machine.ports = PortLimit(static_cast<Port>(*k));
    machine.duplex = has("-port half duplex") ? Duplex::half : Duplex::full;
    machine.switching = has(", wormhole") ? Switching::wormhole : Switching::store_and_forward;
    machine.links = has(", half duplex links") ? Duplex::half : Duplex::full;
    machine.pairwise = has(", pairwise");
    machine.noho = has(", strict NOHO") ? Noho::strict : Noho::wide;
    machine.switch_limit = switch_limit_in(words);
    machine.combining = !has(", noncombining");
    if (rules_in_words(machine) != words)
        throw RequestError(fmt::format("machine {} is not known; want one such as {}", quoted(words),
                                       quoted(rules_in_words(machine))));
    return machine;
}

}  // namespace kport
