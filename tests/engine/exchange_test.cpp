/// @file exchange_test.cpp   An exchange of values runs without programs and with them (node/exchange.hpp): the report is the same.
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/base/dice.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/running.hpp"
#include "tests/engine/as_programs.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using test::as_programs;
using test::expect_the_same_as_programs;
using test::first_of_two;
using test::report_of;

/// Whether the text was asked while a node's program ran.
struct Asked {
    std::atomic<bool> by_a_program = false;
    [[nodiscard]] bool by_programs() const { return by_a_program; }
};

/// The dimensions of a hypercube in some order, each as often as it stands there.
class Along : public ValueExchange {
  public:
    explicit Along(std::vector<Port> ports, bool apart = false, std::shared_ptr<Asked> asked = nullptr)
        : ports_(std::move(ports)), apart_(apart), asked_(std::move(asked)) {}
    [[nodiscard]] unsigned steps() const override { return static_cast<unsigned>(ports_.size()); }
    [[nodiscard]] Port port(unsigned step) const override { return ports_[step]; }
    [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned) const override {
        if (asked_ && running.node != nullptr) asked_->by_a_program = true;
        return {from < v, from < v};
    }
    [[nodiscard]] bool keeps_results_apart() const override { return apart_; }

  private:
    std::vector<Port> ports_;
    bool apart_;
    std::shared_ptr<Asked> asked_;
};

Job exchange_job(std::shared_ptr<const ValueExchange> exchange, const Machine& machine, const Collective& collective,
                 const Reduction& reduction = {}) {
    Job job;
    job.machine = machine;
    job.collective = collective;
    job.program = ExchangeProgram(std::move(exchange));
    job.all_start = true;
    job.starters = {0};  // which says nothing more
    job.reduction = reduction;
    return job;
}

/// Whether the nodes of an exchange ran programs.
bool needs_programs(std::vector<Port> ports, const Reduction& reduction = {},
                    const Machine& machine = test::machine("hypercube:3")) {
    const auto asked = std::make_shared<Asked>();
    const Job job = exchange_job(std::make_shared<Along>(std::move(ports), false, asked), machine,
                                 Collective::allreduce(8), reduction);
    (void)report_of(job, {});
    return asked->by_programs() || World(job, {}, true).exchange == nullptr;
}

/// How often a scan along the dimensions of a hypercube folds two values: each fold is made twice, the second time for its seal.
std::uint64_t folds_of_a_scan(Port dimensions, bool by_programs) {
    const auto made = std::make_shared<std::atomic<std::uint64_t>>(0);
    const auto counted = Reduction::own<std::uint64_t>({.name = "counted sum",
                                                        .fold =
                                                            [made](std::uint64_t a, std::uint64_t b) {
                                                                ++*made;
                                                                return a + b;
                                                            },
                                                        .commutative = true});
    const auto made_by = [&](std::vector<Port> ports) {
        const Job job =
            exchange_job(std::make_shared<Along>(std::move(ports), true),
                         test::machine(fmt::format("hypercube:{}", dimensions)), Collective::scan(8), counted);
        *made = 0;
        (void)run_lockstep(by_programs ? as_programs(job) : job, {});
        return made->load();
    };
    std::vector<Port> ports(dimensions);
    std::iota(ports.begin(), ports.end(), 0);
    return (made_by(ports) - made_by({})) / 2;  // without the claims of the operator, and the results by themselves
}

TEST(AnExchange, OfAScanFoldsWhatIsSentOnAndResults) {
    EXPECT_EQ(folds_of_a_scan(1, false), 1U) << "what came last is sent on by nobody";
    EXPECT_EQ(folds_of_a_scan(2, false), 4U + 2 + 2);
    EXPECT_EQ(folds_of_a_scan(3, false), 8U + 8 + 3 * 4);
}

TEST(AProgramOfAScan, FoldsOnceWhatIsSentOnAndItsResultSoFar) {
    EXPECT_EQ(folds_of_a_scan(1, true), 1U);
    EXPECT_EQ(folds_of_a_scan(2, true), 4U + 2);
    EXPECT_EQ(folds_of_a_scan(3, true), 8U + (8 + 2) + 4);
}

TEST(AnExchange, RunsWithoutProgramsWhileValuesMeetTheirNeighbours) {
    EXPECT_FALSE(needs_programs({0, 1, 2}));
    EXPECT_FALSE(needs_programs({0, 1})) << "what the results lack the auditor tells";
    EXPECT_FALSE(needs_programs({0, 1, 2}, Reduction::own(first_of_two())));
    EXPECT_FALSE(needs_programs({0, 1, 2}, {}, test::machine("hypercube:3", PortLimit::all())));
    EXPECT_TRUE(needs_programs({0, 1, 1})) << "contributions come twice";
    EXPECT_TRUE(needs_programs({1, 0, 2})) << "contributions that are no range";
    EXPECT_TRUE(needs_programs({0, 1, 3})) << "no such port";
    EXPECT_TRUE(needs_programs({0, 1}, {}, test::machine("ring:4"))) << "a port leads to another one";
    EXPECT_TRUE(needs_programs({0}, {}, test::machine("complete:4")));
    EXPECT_TRUE(needs_programs({0, 1, 2}, {}, test::wormhole(test::machine("hypercube:3"))));
}

/// Ports, sides and what goes into the results are drawn.
class DrawnExchange final : public ValueExchange {
  public:
    DrawnExchange(const Topology& topology, std::uint64_t seed) : nodes_(topology.nodes()) {
        Dice dice(seed);
        apart_ = dice.below(2) != 0;
        const bool in_turn = dice.below(3) != 0;
        const bool in_order = dice.below(3) != 0;
        const auto steps = static_cast<Port>(dice.below(5));
        for (Port step = 0; step < steps; ++step) {
            ports_.push_back(in_turn && step < topology.ports() ? step
                                                                : static_cast<Port>(dice.below(topology.ports())));
            for (NodeId v = 0; v < nodes_; ++v) {
                const bool left = dice.below(4) != 0;
                kept_.push_back(dice.below(4) != 0);
                right_way_.push_back(in_order || left);
            }
        }
    }
    [[nodiscard]] unsigned steps() const override { return static_cast<unsigned>(ports_.size()); }
    [[nodiscard]] Port port(unsigned step) const override { return ports_[step]; }
    [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned step) const override {
        const std::size_t place = step * nodes_ + v;
        return {right_way_[place] == (from < v), kept_[place] && from < v};
    }
    [[nodiscard]] bool keeps_results_apart() const override { return apart_; }

  private:
    NodeId nodes_;
    bool apart_;
    std::vector<Port> ports_;
    std::vector<bool> right_way_;
    std::vector<bool> kept_;
};

TEST(AnExchange, ThatBreaksRulesTellsTheSameAsPrograms) {
    std::size_t unlawful = 0;
    std::size_t lawful = 0;
    for (const char* spec :
         {"hypercube:1", "hypercube:2", "hypercube:3", "complete:4", "ring:4", "mesh:3x3", "petersen", "knoedel:3,8"})
        for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
            for (const Collective& collective :
                 {Collective::allreduce(8), Collective::scan(8), Collective::reduce(1, 8)})
                for (const Reduction& reduction : {Reduction(), Reduction::own(first_of_two())})
                    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 10 : 30); ++seed) {
                        Machine machine = test::machine(spec, ports);
                        machine.noho = seed % 4 == 0 ? Noho::strict : Noho::wide;
                        const Job job = exchange_job(std::make_shared<DrawnExchange>(*machine.topology, seed), machine,
                                                     collective, reduction);
                        const std::string report = report_of(as_programs(job), {});
                        EXPECT_EQ(report_of(job, {}), report) << spec << ", seed " << seed;
                        EXPECT_EQ(report_of(job, {.threads = 2, .partition_nodes = 1}), report)
                            << spec << ", seed " << seed;
                        (report.find("broken") != std::string::npos ? unlawful : lawful) += 1;
                    }
    EXPECT_GT(unlawful, test::under_sanitizer ? 160U : 500U);
    EXPECT_GT(lawful, test::under_sanitizer ? 3U : 10U);
}

TEST(AnExchange, ThatIsStoppedTellsTheSameAsPrograms) {
    for (const std::vector<Port>& ports : {std::vector<Port>{0, 1, 2}, {0, 1, 1, 2}, {0, 2, 1}})
        for (const bool apart : {false, true}) {
            const Job job = exchange_job(std::make_shared<Along>(ports, apart), test::machine("hypercube:3"),
                                         apart ? Collective::scan(8) : Collective::allreduce(8));
            for (const Round round : {1U, 2U, 3U, 4U}) {
                expect_the_same_as_programs(job, {.last_round = round});
                expect_the_same_as_programs(job, {.max_rounds = round});
            }
        }
}

/// For operators that are as they should be until nodes fold.
class TellsThatItRuns final : public Along {
  public:
    explicit TellsThatItRuns(std::shared_ptr<bool> is_run, std::shared_ptr<Asked> asked = nullptr)
        : Along({0, 1, 2}, false, std::move(asked)), is_run_(std::move(is_run)) {}
    [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned step) const override {
        *is_run_ = true;
        return Along::folds(v, from, step);
    }

  private:
    std::shared_ptr<bool> is_run_;
};

TEST(AnExchange, WhoseTextOrOperatorFailsNamesTheSameNodeAndRoundAsPrograms) {
    class Fails final : public Along {
      public:
        Fails() : Along({0, 1, 2}) {}
        [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned step) const override {
            if (step == 1 && (v == 6 || v == 3)) throw std::runtime_error("lost");
            return Along::folds(v, from, step);
        }
    };
    const Job lost = exchange_job(std::make_shared<Fails>(), test::machine("hypercube:3"), Collective::allreduce(8));
    expect_the_same_as_programs(lost);
    EXPECT_NE(report_of(lost, {}).find("node 3"), std::string::npos) << report_of(lost, {});

    class HasNoPort final : public ValueExchange {
      public:
        [[nodiscard]] unsigned steps() const override { return 2; }
        [[nodiscard]] Port port(unsigned step) const override {
            if (step == 1) throw std::runtime_error("no port");
            return 0;
        }
        [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned) const override { return {from < v, false}; }
    };
    expect_the_same_as_programs(
        exchange_job(std::make_shared<HasNoPort>(), test::machine("hypercube:3"), Collective::allreduce(8)));

    const auto is_run = std::make_shared<bool>(false);
    OwnOperator<std::int64_t> refuses = first_of_two();
    refuses.contribution = [](NodeId v, std::uint64_t) { return static_cast<std::int64_t>(v); };
    refuses.fold = [is_run](std::int64_t left, std::int64_t right) {
        if (std::exchange(*is_run, false) && right == 6) throw std::runtime_error("six");
        return left;
    };
    const Job six = exchange_job(std::make_shared<TellsThatItRuns>(is_run), test::machine("hypercube:3"),
                                 Collective::allreduce(8), Reduction::own(refuses));
    const std::string programs = report_of(as_programs(six), {});
    EXPECT_EQ(report_of(six, {}), programs);
    EXPECT_NE(programs.find("six"), std::string::npos) << programs;
}

/// A bit changes once.
TEST(AnExchange, OfAValueThatIsNotWhatItWasBeginsAnewAsPrograms) {
    const auto is_run = std::make_shared<bool>(false);
    const auto asked = std::make_shared<Asked>();
    OwnOperator<std::int64_t> moody = first_of_two();
    moody.fold = [is_run, has_erred = std::make_shared<bool>(false)](std::int64_t left, std::int64_t) {
        return *is_run && !std::exchange(*has_erred, true) ? left + 1 : left;
    };
    const Job job = exchange_job(std::make_shared<TellsThatItRuns>(is_run, asked), test::machine("hypercube:3"),
                                 Collective::allreduce(8), Reduction::own(moody));
    const std::string report = report_of(job, {});
    EXPECT_TRUE(asked->by_programs());
    EXPECT_EQ(report, report_of(as_programs(job), {}));
}

}  // namespace
}  // namespace kport
