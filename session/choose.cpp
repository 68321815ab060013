#include "session/choose.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// "keep, op concat": the options that may keep an algorithm from running.
std::string picky_options(const AlgorithmOptions& options) {
    std::vector<std::string> given;
    if (options.keep) given.emplace_back("keep");
    if (!options.dimensions.empty()) given.emplace_back("dimensions");
    if (options.preorder) given.emplace_back("order preorder");
    if (options.arity) given.emplace_back("arity");
    if (options.gather) given.emplace_back("gather");
    if (!options.reduction.commutative()) given.push_back(fmt::format("op {}", name(options.reduction.op)));
    return fmt::format("{}", fmt::join(given, ", "));
}

/// Where algorithms would run but for the options, these are what is wrong with the request.
void blame_options(const Experiment& e) {
    if (!applicable(e.machine, e.collective, e.options).empty()) return;
    std::vector<std::string> reasons;
    for (const Algorithm* row : applicable(e.machine, e.collective, {}))
        reasons.push_back(
            fmt::format("{} {}", row->name, misfit_of(*row, e.machine, e.collective, e.options).value_or("would do")));
    if (!reasons.empty())
        throw RequestError(fmt::format("no algorithm of {} on {} runs with {}: {}", name(e.collective.operation),
                                       e.topology().spec(), picky_options(e.options), fmt::join(reasons, "; ")));
}

}  // namespace

std::string Chosen::reason() const { return choice && choice->candidates.size() > 1 ? choice->reason() : ""; }

void require_algorithms(const Operation& operation) {
    std::vector<std::string_view> served;
    for (const Algorithm& row : catalogue()) {
        if (row.operation == operation) return;
        if (std::find(served.begin(), served.end(), name(row.operation)) == served.end())
            served.push_back(name(row.operation));
    }
    throw RequestError(
        fmt::format("no algorithm for {} yet; there are algorithms for {}", name(operation), fmt::join(served, ", ")));
}

void require_known_options(const Experiment& e) {
    if (!e.algorithm.empty()) {
        (void)algorithm_named(e.algorithm, e.machine, e.collective, e.options);
        return;
    }
    Experiment whatever_is_folded = e;
    whatever_is_folded.options.reduction = {};
    blame_options(whatever_is_folded);
}

Chosen choose(const Experiment& e) {
    require_algorithms(e.collective.operation);
    Chosen chosen{e, nullptr, std::nullopt};
    if (!e.algorithm.empty()) {
        chosen.algorithm = &algorithm_named(e.algorithm, e.machine, e.collective, e.options);
    } else {
        blame_options(e);
        chosen.choice = choose(e.machine, e.collective, e.options, true);
        chosen.algorithm = chosen.choice->algorithm;
        if (chosen.choice->keep) chosen.experiment.options.keep = chosen.choice->keep;
    }
    chosen.experiment.collective = done_by(*chosen.algorithm, e.collective);
    return chosen;
}

}  // namespace kport
