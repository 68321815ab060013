/// @file fast_paths_test.cpp   Every row of the catalogue whose nodes need no programs tells without them what it tells with them.
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/relay.hpp"
#include "emulator/node/splitting.hpp"
#include "emulator/node/timetable.hpp"
#include "tests/engine/as_programs.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

/// A kind of programs that an engine can do without.
struct FastPath {
    std::string name;
    std::vector<std::string> specs;  ///< machines beside the small ones
    /// What a row is asked for on a machine; nothing: it is not of the kind, or no row of its operation is.
    std::function<std::vector<Collective>(const Algorithm& row, const Machine& machine)> collectives;
    std::vector<Reduction> reductions;
    std::function<bool(const Job&)> is_of_kind;
    /// Whether the row says that its job is of the kind, which admission believes; nothing: it does not say.
    std::function<std::optional<bool>(const Algorithm& row, const Job& job)> says_so;
    std::size_t jobs;  ///< more than so many
};

void PrintTo(const FastPath& path, std::ostream* out) { *out << path.name; }

std::vector<Collective> of_packets(const Collective& collective, std::initializer_list<std::uint64_t> packets) {
    std::vector<Collective> all;
    for (const std::uint64_t each : packets) {
        all.push_back(collective);
        all.back().packets_each = each;
    }
    return all;
}

std::vector<Reduction> reductions() {
    std::vector<Reduction> all(4);
    all[1].type = ElementType::real;
    all[2].op = Operator::max;
    all[3].op = Operator::concat;
    all[3].type = ElementType::text;
    all.push_back(Reduction::own(test::first_of_two()));
    return all;
}

template <class Kind>
bool follows(const Job& job) {
    return plan_of<Kind>(job) != nullptr;
}
template <class OfKind>
bool has_program(const Job& job) {
    return job.program.target<OfKind>() != nullptr;
}

std::vector<FastPath> fast_paths() {
    const auto packets = [](const Operation& operation, std::uint64_t many) {
        return [=](const Algorithm& row, const Machine&) {
            return row.forward == operation ? of_packets(Collective::of(operation, 2, 16), {1, many})
                                            : std::vector<Collective>();
        };
    };
    const auto scatters = [](const Algorithm& row, const Machine&) {
        std::vector<Collective> all;
        for (const std::uint64_t bytes : {8U, 64U, 600U})
            for (const Collective& some : of_packets(Collective::scatter(2, bytes), {1, 3}))
                if (row.forward == Operation::scatter) all.push_back(some);
        return all;
    };
    const auto exchanges = [](const Algorithm& row, const Machine&) {
        if (!row.exchanges) return std::vector<Collective>();
        return std::vector{Collective::of(row.operation, 0, 8), Collective::of(row.operation, 0, 16)};
    };
    const auto relays = [](const Algorithm& row, const Machine& machine) {
        std::vector<Collective> all;
        if (row.relays == nullptr) return all;
        const bool is_vector = row.operation == Operation::allreduce;
        for (const std::uint64_t bytes : {8U, 16U})
            for (const Collective& some :
                 of_packets(Collective::of(row.operation, 0, bytes), {is_vector ? machine.topology->nodes() : 1}))
                if (row.relays(machine, some)) all.push_back(some);
        return all;
    };
    const auto forwards = [](const Algorithm& row, const Job& job) {
        return job.collective.packets_each == 1 ? std::optional(row.forwards) : std::nullopt;
    };
    const auto goes_by_timetable = [](const Algorithm& row, const Job& job) {
        return job.machine.ports.k() == 1 ? std::optional(row.by_timetable) : std::nullopt;
    };
    const auto nothing = [](const Algorithm&, const Job&) { return std::optional<bool>(); };
    const auto always = [](const Algorithm&, const Job&) { return std::optional(true); };
    const std::vector<Reduction> none(1);
    return {
        {"forwarding", {}, packets(Operation::broadcast, 3), none, follows<Forwarding>, forwards, 100},
        {"timetable", {}, packets(Operation::broadcast, 7), none, follows<Timetable>, goes_by_timetable, 20},
        {"splitting", {"hypercube:4", "hypercube:6"}, scatters, none, follows<Splitting>, nothing, 50},
        {"exchange",
         {"hypercube:0", "hypercube:1", "hypercube:5"},
         exchanges,
         reductions(),
         has_program<ExchangeProgram>,
         always,
         200},
        {"relay",
         {"ring:1", "ring:2", "ring:3", "ring:16"},
         relays,
         reductions(),
         has_program<RelayProgram>,
         always,
         100},
    };
}

std::vector<Machine> machines(const std::vector<std::string>& more) {
    std::vector<Machine> all = test::small_machines();
    for (const std::string& spec : more)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
            Machine machine = test::machine(spec, ports);
            all.push_back(machine);
            all.push_back(test::half_duplex(machine));
            machine.noho = Noho::strict;
            machine.policy = Policy::strict;
            all.push_back(machine);
        }
    return all;
}

class AFastPath : public testing::TestWithParam<FastPath> {};
INSTANTIATE_TEST_SUITE_P(Of, AFastPath, testing::ValuesIn(fast_paths()));

TEST_P(AFastPath, TellsOfEveryRowOfTheCatalogueTheSameAsPrograms) {
    const FastPath& path = GetParam();
    std::size_t jobs = 0;
    test::Sample sample(5);
    for (const Machine& machine : machines(path.specs))
        for (const Algorithm& row : catalogue())
            for (const Collective& collective : path.collectives(row, machine))
                for (const Reduction& reduction : path.reductions) {
                    AlgorithmOptions options;
                    options.reduction = reduction;
                    if (misfit_of(row, machine, collective, options)) continue;
                    Job job = make_job(row, machine, collective, options);
                    const bool is_of_kind = path.is_of_kind(job);
                    if (const auto says = path.says_so(row, job); says && row.way == Way::program) {
                        EXPECT_EQ(*says, is_of_kind) << row.name << ": admission asks the row";
                    }
                    if (!is_of_kind || sample.leaves_out()) continue;
                    ++jobs;
                    for (const bool payload : {true, false}) {
                        job.payload = payload;
                        test::expect_the_same_as_programs(job);
                        if (jobs % 4 == 0) test::expect_the_same_however_it_ends(job);
                    }
                    job.payload = true;
                    test::expect_the_same_as_programs(job, {.recorded = true, .in_bodies = true});
                    if (row.forward == Operation::scatter) {
                        EXPECT_EQ(test::kept_by(job), test::kept_by(test::as_programs(job))) << row.name;
                    }
                    if (HasFailure()) return;
                }
    EXPECT_GT(jobs, path.jobs / (test::under_sanitizer ? 5 : 1));
}

}  // namespace
}  // namespace kport
