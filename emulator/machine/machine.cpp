#include "emulator/machine/machine.hpp"

#include <cmath>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

PortLimit::PortLimit(Port k) : k_(k) {
    if (k == 0) throw RequestError("ports '0': a node needs at least 1 port; use 1, 2, ... or all");
}

std::string PortLimit::text() const { return is_all() ? "all" : fmt::to_string(k_); }

void require_topology(const Machine& machine) {
    if (machine.topology == nullptr) throw RequestError("the machine has no topology; want make_topology(...)");
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
    return fmt::format("{}-port {} duplex, {}{}{}{}", ports.text(), text(duplex),
                       switching == Switching::store_and_forward ? "store-and-forward" : "wormhole",
                       links == Duplex::half ? ", half duplex links" : "", pairwise ? ", pairwise" : "",
                       noho == Noho::strict ? ", strict NOHO" : "");
}

}  // namespace kport
