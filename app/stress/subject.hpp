/// @file subject.hpp   The subject of a stress: an algorithm of the catalogue, or a user's program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/job.hpp"

namespace KPORT_PUBLIC kport {

/// A machine and a request.
struct Case {
    Machine machine;
    Collective collective;
    AlgorithmOptions options;
    std::uint64_t seed = 1;  ///< of the bytes

    [[nodiscard]] const Topology& topology() const { return *machine.topology; }
};

/// Returns a user's program for every node of a machine, and the nodes that start.
using ProgramFor = std::function<Start(const Machine&, const Collective&)>;
/// Returns why a program cannot run on a machine; nothing if it can.
using MisfitFor = std::function<std::optional<std::string>(const Machine&, const Collective&)>;

struct Subject {
    std::string name;
    std::function<std::optional<std::string>(const Case&)> misfit;
    std::function<RunResult(const Case&, const RunOptions&)> run;
    /// Returns the node program as a job; null if there is none (a reversed run).
    std::function<Job(const Case&)> job;
    /// Returns the textbook's costs of the run; null if unknown.
    std::function<ExpectedCost(const Case&)> expect;
    /// Whether some node takes the first message of several senders: then a free run needs rounds (NeedsRounds::order).
    /// Null: not known.
    std::function<bool(const Case&)> depends_on_order;
    const Algorithm* algorithm = nullptr;  ///< null: a user's program
    std::vector<Rule> breaks;              ///< rules that it breaks by design
};

/// Why the algorithm is not tried on the case: it does not run there, or only after a long search.
[[nodiscard]] std::optional<std::string> misfit_of(const Algorithm& algorithm, const Case& c);
[[nodiscard]] Subject subject_of(const Algorithm& algorithm);
/// `misfit` may be null: the program runs everywhere.
[[nodiscard]] Subject subject_of(std::string name, ProgramFor program, MisfitFor misfit);

}  // namespace kport
