/// @file experiment.hpp   What is asked for: an operation on a machine, and how it is run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_with_fault.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/topology/broken.hpp"

namespace KPORT_PUBLIC kport {

/// How many processes run an experiment together, and how many of them on this computer.
struct Company {
    unsigned processes = 1;
    unsigned here = 1;
};

/// Every member but the topology has a default: those of `kport run`.
struct Experiment {
    Machine machine;          ///< its topology from make_topology("hypercube:10")
    std::string graph_words;  ///< options with which its graph file is read, as again() repeats them: " --largest"
    Collective collective;
    std::string members;  ///< as typed, until machine and collective know them (among_members()); empty: all nodes
    std::string relay;  ///< which other nodes pass packets on: "members", "all", or nodes as typed; empty: as "members"
    std::string groups;     ///< as typed: each has the operation of its own, all at once; empty: no groups
    std::string sizes;      ///< of packets, as typed, as counts
    std::string counts;     ///< as typed, until the collective knows them: a list, a range to draw from, or a file
    std::string algorithm;  ///< empty: the best that applies
    std::vector<std::string> algorithms;  ///< which are compared, where `algorithm` is empty; empty: all that apply
    std::vector<std::string> besides;  ///< which are compared besides these, whatever `algorithm` and `algorithms` say
    AlgorithmOptions options;          ///< reductions: operator, type, contributions
    bool payload = true;               ///< false: sizes are counted, no bytes are held
    EngineKind engine = EngineKind::lockstep;
    std::optional<unsigned> threads;  ///< nothing: as many as the process may use
    std::uint64_t seed = 1;
    bool per_round = false;              ///< the report has a row for each round
    bool reproducible = false;           ///< the report has no times, memory or threads, which differ from run to run
    std::optional<Injection> injection;  ///< its seed is that of the experiment
    BrokenParts unaware_of;  ///< broken parts that the algorithm does not know of: messages over them are lost
    std::optional<std::uint64_t> order;  ///< the seed of the order in which nodes run; nothing: the usual one
    NodeId partition_nodes = partition_nodes_default;
    Round max_rounds = 0;                 ///< 0: default_max_rounds()
    Round until = 0;                      ///< the last round; 0: to the end
    Company company;                      ///< the processes that run it together
    std::optional<std::uint64_t> memory;  ///< bytes that a run may take; nothing: what the system has left

    [[nodiscard]] const Topology& topology() const { return *machine.topology; }
    [[nodiscard]] std::optional<NodeId> root() const {
        return collective.rooted() ? std::optional(collective.root) : std::nullopt;
    }
    /// At least 1; an order of one's own has one.
    [[nodiscard]] unsigned thread_count() const;
};

/// Throws RequestError for members that are wrong or that exclude each other. Allocates nothing.
void require_valid(const Experiment& experiment);

/// "drop", or "drop:0.01". Throws RequestError.
[[nodiscard]] Injection injection_named(std::string_view text);
/// The text of injection_named(): "drop:0.01".
[[nodiscard]] std::string text(const Injection& injection);

/// The command that repeats the experiment with the algorithm of that name: "kport run broadcast --on hypercube:10 ...". Empty for a
/// collective or an operator of a program's own, which no command can name.
[[nodiscard]] std::string again(const Experiment& experiment, std::string_view algorithm);

}  // namespace kport
