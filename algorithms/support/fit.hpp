/// @file fit.hpp   The reasons why an algorithm cannot run as asked, as clauses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace KPORT_PUBLIC kport {

/// Returns nothing if the condition holds, else the clause.
[[nodiscard]] inline std::optional<std::string> unless(bool holds, const char* clause) {
    return holds ? std::nullopt : std::optional<std::string>(clause);
}

/// Clause for planning algorithms: concerns the size of a machine, not its kind.
inline constexpr std::string_view is_planned_where = "is planned where ";
[[nodiscard]] inline std::optional<std::string> planned_where(bool holds, std::string_view limit) {
    return holds ? std::nullopt : std::optional(fmt::format("{}{}", is_planned_where, limit));
}

/// Returns the first clause present.
[[nodiscard]] inline std::optional<std::string> first_of(std::initializer_list<std::optional<std::string>> clauses) {
    for (const auto& clause : clauses)
        if (clause) return clause;
    return std::nullopt;
}

[[nodiscard]] inline const Hypercube* as_hypercube(const Machine& machine) {
    return dynamic_cast<const Hypercube*>(machine.topology.get());
}
[[nodiscard]] inline const Grid* as_grid(const Machine& machine) {
    return dynamic_cast<const Grid*>(machine.topology.get());
}

/// A torus or mesh of sides 2 is a hypercube with equal numbers, but not by name.
[[nodiscard]] inline std::optional<std::string> needs_hypercube(const Machine& machine) {
    if (as_hypercube(machine) != nullptr) return std::nullopt;
    const Grid* grid = as_grid(machine);
    int twos = 0;
    for (int i = 0; grid != nullptr && i < grid->dimensions(); ++i) {
        if (grid->side(i) > 2) return "needs a hypercube";
        twos += grid->side(i) == 2 ? 1 : 0;
    }
    return grid == nullptr ? "needs a hypercube"
                           : fmt::format("needs a hypercube ({} is one: hypercube:{})", grid->spec(), twos);
}
/// For programs that lay paths through other nodes by the ports of the topology.
[[nodiscard]] inline std::optional<std::string> needs_wh(const Machine& machine) {
    if (machine.topology->fabric() != nullptr)
        return "lays paths through nodes, which on this machine lead through switches";
    return unless(machine.switching == Switching::wormhole, "needs wormhole switching");
}
[[nodiscard]] inline std::optional<std::string> needs_one_port(const Machine& machine) {
    return unless(machine.widest() <= 1 || machine.ports.k() == 1, "needs a 1-port machine");
}
[[nodiscard]] inline std::optional<std::string> needs_full_duplex(const Machine& machine) {
    return unless(machine.duplex == Duplex::full, "needs full duplex ports");
}
/// Needs one send and one receive a node and round.
[[nodiscard]] inline std::optional<std::string> needs_send_beside_receive(const Machine& machine) {
    return unless(machine.duplex == Duplex::full || machine.ports.of_degree(machine.topology->max_width()) >= 2,
                  "needs full duplex ports or two ports");
}
[[nodiscard]] inline std::optional<std::string> needs_full_links(const Machine& machine) {
    return unless(machine.links == Duplex::full || machine.topology->nodes() < 2, "needs full duplex links");
}
/// For nodes that send to one neighbour and receive from another in the same round.
[[nodiscard]] inline std::optional<std::string> needs_partners(const Machine& machine) {
    return unless(!machine.pairwise || machine.topology->max_degree() <= 1, "needs more than one partner a round");
}
/// For nodes that send to all neighbours at once.
[[nodiscard]] inline std::optional<std::string> needs_all_ports(const Machine& machine) {
    const Port degree = machine.topology->max_degree();
    const bool has_all = machine.ports.of_degree(machine.topology->max_width()) >= degree;
    return first_of({unless(has_all, "needs all ports"), needs_partners(machine)});
}
/// Algorithms of promises move packets.
[[nodiscard]] inline std::optional<std::string> folds_nothing(const Collective& collective) {
    return unless(collective.own_folds() == nullptr, "moves packets, and folds nothing");
}
[[nodiscard]] inline std::optional<std::string> needs_combining(const Machine& machine) {
    return unless(machine.combining, "needs a combining machine");
}
[[nodiscard]] inline std::optional<std::string> needs_no_combining(const Machine& machine) {
    return unless(!machine.combining, "is for machines that do not combine");
}
/// Returns a clause for the first option given that is not in `but`, the row's `takes`.
[[nodiscard]] std::optional<std::string> takes_no_options(const AlgorithmOptions& options, std::string_view but = {});
/// Tables hold 32-bit node numbers and are built by a walk over all links.
[[nodiscard]] inline std::optional<std::string> needs_table(const Machine& machine) {
    return unless(machine.topology->nodes() < (NodeId{1} << 32), "needs fewer than 2^32 nodes");
}

}  // namespace kport
