/// @file settings.hpp   What was asked for, understood: every word checked, nothing allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_with_fault.hpp"
#include "cli/command_line.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::cli {

struct Settings {
    Machine machine;
    Collective collective;
    bool rooted = true;     ///< the operation has a source (or root)
    std::string algorithm;  ///< empty: the best that applies
    AlgorithmOptions options;
    bool payload = true;
    EngineKind engine = EngineKind::lockstep;
    unsigned threads = 1;
    std::uint64_t seed = 1;
    bool per_round = false;
    bool json = false;
    bool threads_given = false;
    std::optional<Injection> injection;  ///< its seed is that of the settings
    std::optional<std::uint64_t> order;  ///< the seed of the order in which nodes run; nothing: the usual one
    NodeId partition_nodes = partition_nodes_default;
    Round max_rounds = 0;  ///< 0: default_max_rounds()
    Round until = 0;       ///< the last round; 0: to the end

    [[nodiscard]] const Topology& topology() const { return *machine.topology; }
    [[nodiscard]] std::optional<NodeId> root() const { return rooted ? std::optional(collective.root) : std::nullopt; }
};

/// Throws RequestError for a word that is wrong, DoesNotFit for a topology whose ports outgrow their type.
[[nodiscard]] Settings settings_of(const Words& words);

/// "drop", or "drop:0.01". Throws RequestError.
[[nodiscard]] Injection parse_injection(std::string_view text);
/// The same back: "drop:0.01".
[[nodiscard]] std::string fault_text(const Injection& injection);

/// The command that runs the algorithm again with these settings: "kport run broadcast --on hypercube:10 ...".
[[nodiscard]] std::string again(const Settings& settings, std::string_view algorithm);

}  // namespace kport::cli
