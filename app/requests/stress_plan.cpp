#include "app/requests/experiment_of.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <oneapi/tbb/info.h>

#include "app/session/experiment.hpp"
#include "app/stress/random_traffic.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::requests {

namespace {

constexpr NodeId nodes_max = NodeId{1} << 16;
constexpr unsigned stress_threads_max = 64;
constexpr double seconds_default = 10;

/// The only operation that has an algorithm of this name, as that of a file has.
std::optional<Operation> only_operation_of(const std::string& algorithm) {
    std::optional<Operation> found;
    for (const Algorithm& row : catalogue()) {
        if (row.name != algorithm) continue;
        if (found && *found != row.operation) return std::nullopt;
        found = row.operation;
    }
    return found;
}

}  // namespace

StressPlan stress_plan_of(const Words& words) {
    StressPlan plan;
    StressOptions& options = plan.options;
    if (const auto seed = words.get("--seed")) options.seed = parse_count(*seed, "--seed");
    if (const auto cases = words.get("--cases")) options.cases = parse_count(*cases, "--cases", 1);
    if (const auto only = words.get("--case")) options.only = parse_count(*only, "--case", 1);
    options.seconds.reset();
    if (!options.cases && !options.only) options.seconds = seconds_default;
    if (const auto time = words.get("--for")) {
        options.seconds = parse_seconds(*time, "--for");
        if (*options.seconds <= 0)
            throw RequestError(fmt::format("--for {} is zero; want a positive time, such as 10s", quoted(*time)));
    }
    if (const auto spec = words.get("--on")) {
        options.on = without_broken(words, make_topology(*spec));
        if (options.on->nodes() > nodes_max)
            throw RequestError(fmt::format("--on {}: {} nodes; stress takes at most {}", quoted(*spec),
                                           options.on->nodes(), nodes_max));
    }
    if (!options.on && words.has("--broken"))
        throw RequestError(
            "--broken: of which machine? want --on with it; machines that are drawn may be broken anyway");
    if (const auto nodes = words.get("--nodes")) options.nodes_max = parse_count(*nodes, "--nodes", 1, nodes_max);
    options.trials.threads_max = std::clamp(static_cast<unsigned>(tbb::info::default_concurrency()), 2U, 4U);
    if (const auto threads = words.get("--threads"))
        options.trials.threads_max = static_cast<unsigned>(parse_count(*threads, "--threads", 1, stress_threads_max));
    if (const auto fault = words.get("--inject")) options.trials.injection = injection_named(*fault);

    const auto algorithm = words.get("--algorithm");
    std::optional<Operation> operation;
    if (const auto named = words.get("--operation"))
        operation = operation_named(*named);
    else if (algorithm)
        operation = only_operation_of(*algorithm);
    if (operation) plan.operation = *operation;
    if (algorithm && !operation)
        throw RequestError(
            fmt::format("--algorithm {}: of which operation? such as --operation broadcast", quoted(*algorithm)));
    std::vector<std::string_view> names;
    for (const Algorithm& row : catalogue()) {
        if (!operation || row.operation != plan.operation) continue;
        names.push_back(row.name);
        if (!algorithm || row.name == *algorithm) plan.subjects.push_back(subject_of(row));
    }
    const std::vector<Subject> random = random_subjects();
    for (const Subject& subject : random) {
        if (!operation || options.trials.injection) continue;
        names.emplace_back(subject.name);
        if (!algorithm || *algorithm == subject.name) plan.subjects.push_back(subject);
    }
    if (algorithm && plan.subjects.empty())
        throw RequestError(fmt::format("{} has no algorithm {}{} ({})", name(plan.operation), quoted(*algorithm),
                                       did_you_mean(*algorithm, names), fmt::join(names, ", ")));
    options.trials.expectations.lawful = algorithm.has_value();
    return plan;
}

}  // namespace kport::requests
