/// @file relay_test.cpp   The segments of a vector go around without programs and with them (node/relay.hpp): the report is the
///                        same.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/base/dice.hpp"
#include "emulator/node/relay.hpp"
#include "emulator/node/running.hpp"
#include "tests/engine/as_programs.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using test::as_programs;
using test::expect_the_same_as_programs;
using test::report_of;

/// Whether the text was asked while a node's program ran.
struct AskedForSegment {
    std::atomic<bool> by_a_program = false;
    [[nodiscard]] bool by_programs() const { return by_a_program; }
};

/// Around a ring as the catalogue's, but for what a test changes.
class Around : public SegmentRelay {
  public:
    struct Text {
        unsigned folding_steps;
        unsigned steps;
        std::vector<Ports> ports;  ///< of each step, from the first on again if there are more
        std::vector<std::uint32_t> first;
    };
    static Text lawful(NodeId nodes) {
        constexpr Port forward = 0;
        constexpr Port backward = 1;
        Text text{static_cast<unsigned>(nodes - 1), static_cast<unsigned>(2 * (nodes - 1)), {}, {}};
        const Ports there = nodes == 2 ? Ports{forward, forward} : Ports{backward, forward};
        for (unsigned step = 0; step < text.steps; ++step)
            text.ports.push_back(step < text.folding_steps ? there : Ports{there.in, there.out});
        for (NodeId v = 0; v < nodes; ++v) text.first.push_back(static_cast<std::uint32_t>((v + 1) % nodes));
        return text;
    }
    explicit Around(Text text, std::shared_ptr<AskedForSegment> asked = nullptr)
        : text_(std::move(text)), asked_(std::move(asked)) {}

    [[nodiscard]] unsigned folding_steps() const override { return text_.folding_steps; }
    [[nodiscard]] unsigned steps() const override { return text_.steps; }
    [[nodiscard]] Ports ports(unsigned step) const override { return text_.ports[step % text_.ports.size()]; }
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const override {
        if (asked_ && running.node != nullptr) asked_->by_a_program = true;
        return text_.first[v];
    }

  private:
    Text text_;
    std::shared_ptr<AskedForSegment> asked_;
};

Job relay_job(std::shared_ptr<const SegmentRelay> relay, const Machine& machine, const Reduction& reduction = {}) {
    Job job;
    job.machine = machine;
    job.collective = Collective::allreduce(8);
    job.collective.packets_each = machine.topology->nodes();
    job.program = RelayProgram(std::move(relay));
    job.all_start = true;
    job.reduction = reduction;
    return job;
}

bool needs_programs(const Around::Text& text, const Machine& machine = test::machine("ring:4"),
                    const Reduction& reduction = {}, std::uint64_t segments = 4) {
    const auto asked = std::make_shared<AskedForSegment>();
    Job job = relay_job(std::make_shared<Around>(text, asked), machine, reduction);
    job.collective.packets_each = segments;
    (void)report_of(job, {});
    return asked->by_programs();
}

TEST(ARelay, RunsWithoutProgramsWhileEachSegmentGoesAround) {
    const Around::Text lawful = Around::lawful(4);
    EXPECT_FALSE(needs_programs(lawful));
    EXPECT_FALSE(needs_programs(lawful, test::machine("ring:4", PortLimit::all())));
    Around::Text some = lawful;
    some.steps = some.folding_steps;
    EXPECT_FALSE(needs_programs(some)) << "as of a reduce-scatter; what the results lack the auditor tells";
    some.folding_steps = some.steps = 2;
    EXPECT_FALSE(needs_programs(some));
    some = lawful;
    some.ports.front() = {0, 1};
    EXPECT_TRUE(needs_programs(some)) << "a value comes back";
    some = lawful;
    some.folding_steps = 2;
    EXPECT_TRUE(needs_programs(some)) << "a result lacks contributions";
    some = lawful;
    ++some.steps;
    EXPECT_TRUE(needs_programs(some)) << "a result comes twice";
    some = lawful;
    --some.steps;
    EXPECT_TRUE(needs_programs(some)) << "a result does not come";
    some = lawful;
    some.first.front() = 4;
    EXPECT_TRUE(needs_programs(some)) << "no such segment";
    some = lawful;
    some.ports.front() = {1, 1};
    EXPECT_TRUE(needs_programs(some)) << "a port leads to another one";
    EXPECT_TRUE(needs_programs(lawful, test::wormhole(test::machine("ring:4"))));
    EXPECT_TRUE(needs_programs(lawful, test::half_duplex(test::machine("ring:4", PortLimit(2)))));
    EXPECT_TRUE(needs_programs(lawful, test::machine("ring:4"), {}, 8)) << "more segments than nodes";
    EXPECT_TRUE(needs_programs(lawful, test::machine("ring:4"), Reduction::own(test::first_of_two())))
        << "values have to stay in order";
}

/// A lawful text of which something is drawn anew.
Around::Text drawn(NodeId nodes, Port ports, std::uint64_t seed) {
    Dice dice(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(dice.below(n)); };
    Around::Text text = Around::lawful(nodes);
    if (below(3) == 0) text.folding_steps = below(2 * nodes);
    if (below(3) == 0) text.steps = text.folding_steps + below(nodes + 1);
    text.steps = std::max(text.steps, text.folding_steps);
    if (below(3) == 0) {
        const bool there_and_back = below(2) == 0;
        for (SegmentRelay::Ports& some : text.ports) {
            some.out = below(ports);
            some.in = there_and_back ? some.out : below(ports);
        }
    }
    if (below(3) == 0)
        for (std::uint32_t& first : text.first) first = below(nodes + (below(8) == 0 ? 1 : 0));
    return text;
}

TEST(ARelay, ThatBreaksRulesTellsTheSameAsPrograms) {
    std::size_t unlawful = 0;
    std::size_t lawful = 0;
    for (const char* spec : {"ring:2", "ring:3", "ring:4", "ring:5", "hypercube:2", "hypercube:3", "complete:4"})
        for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
            for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 20 : 60); ++seed) {
                Machine machine = test::machine(spec, ports);
                machine.noho = seed % 4 == 0 ? Noho::strict : Noho::wide;
                const Job job = relay_job(
                    std::make_shared<Around>(drawn(machine.topology->nodes(), machine.topology->ports(), seed)),
                    machine);
                const std::string report = report_of(as_programs(job), {});
                EXPECT_EQ(report_of(job, {}), report) << spec << ", seed " << seed;
                EXPECT_EQ(report_of(job, {.threads = 2, .partition_nodes = 1}), report) << spec << ", seed " << seed;
                (report.find("broken") != std::string::npos ? unlawful : lawful) += 1;
            }
    EXPECT_GT(unlawful, test::under_sanitizer ? 30U : 100U);
    EXPECT_GT(lawful, test::under_sanitizer ? 30U : 100U);
}

TEST(ARelay, ThatIsStoppedTellsTheSameAsPrograms) {
    const Job job = relay_job(std::make_shared<Around>(Around::lawful(4)), test::machine("ring:4"));
    for (const Round round : {1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
        expect_the_same_as_programs(job, {.last_round = round});
        expect_the_same_as_programs(job, {.max_rounds = round});
    }
}

OwnOperator<std::int64_t> sum() {
    OwnOperator<std::int64_t> sum;
    sum.name = "own sum";
    sum.commutative = true;
    sum.fold = [](std::int64_t left, std::int64_t right) { return left + right; };
    return sum;
}

/// For operators that are as they should be until nodes begin.
class TellsThatItBegins final : public Around {
  public:
    explicit TellsThatItBegins(std::shared_ptr<bool> is_run, std::shared_ptr<AskedForSegment> asked = nullptr)
        : Around(Around::lawful(4), std::move(asked)), is_run_(std::move(is_run)) {}
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const override {
        *is_run_ = true;
        return Around::first_segment(v);
    }

  private:
    std::shared_ptr<bool> is_run_;
};

TEST(ARelay, WhoseTextOrOperatorFailsNamesTheSameNodeAndRoundAsPrograms) {
    class Fails final : public Around {
      public:
        explicit Fails(bool at_first) : Around(Around::lawful(4)), at_first_(at_first) {}
        [[nodiscard]] std::uint32_t first_segment(NodeId v) const override {
            if (at_first_ && v == 2) throw std::runtime_error("lost");
            return Around::first_segment(v);
        }
        [[nodiscard]] Ports ports(unsigned step) const override {
            if (!at_first_ && step == 4) throw std::runtime_error("no way");
            return Around::ports(step);
        }

      private:
        bool at_first_;
    };
    for (const bool at_first : {false, true})
        expect_the_same_as_programs(relay_job(std::make_shared<Fails>(at_first), test::machine("ring:4")));

    const auto is_run = std::make_shared<bool>(false);
    OwnOperator<std::int64_t> refuses = sum();
    refuses.contribution = [](NodeId v, std::uint64_t) { return static_cast<std::int64_t>(v); };
    refuses.fold = [is_run](std::int64_t left, std::int64_t right) {
        if (*is_run && left + right == 5) throw std::runtime_error("five");
        return left + right;
    };
    const Job five =
        relay_job(std::make_shared<TellsThatItBegins>(is_run), test::machine("ring:4"), Reduction::own(refuses));
    const std::string programs = report_of(as_programs(five), {});
    *is_run = false;
    EXPECT_EQ(report_of(five, {}), programs);
    EXPECT_NE(programs.find("five"), std::string::npos) << programs;
}

/// A bit changes once.
TEST(ARelay, OfAValueThatIsNotWhatItWasBeginsAnewAsPrograms) {
    const auto is_run = std::make_shared<bool>(false);
    const auto asked = std::make_shared<AskedForSegment>();
    OwnOperator<std::int64_t> moody = sum();
    moody.fold = [is_run, has_erred = std::make_shared<bool>(false)](std::int64_t left, std::int64_t right) {
        return left + right + (*is_run && !std::exchange(*has_erred, true) ? 1 : 0);
    };
    const Job job =
        relay_job(std::make_shared<TellsThatItBegins>(is_run, asked), test::machine("ring:4"), Reduction::own(moody));
    const std::string report = report_of(job, {});
    EXPECT_TRUE(asked->by_programs());
    EXPECT_EQ(report, report_of(as_programs(job), {}));
}

}  // namespace
}  // namespace kport
