/// @file executions_test.cpp   What a text of node programs says has one verdict in every execution: with programs and without,
///                             recorded or not, on threads, ranks and in orders, with rounds and free. Texts are drawn, and many
///                             lie: ports, packets and rounds that are not there, no end, two answers to one question.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/random_words.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/relay.hpp"
#include "emulator/node/splitting.hpp"
#include "emulator/node/timetable.hpp"
#include "tests/engine/all_executions.hpp"
#include "tests/engine/drawn_timetable.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::expect_one_verdict;
using test::MakesJob;
using test::told_by_all;

/// Answers that follow from the question and a seed.
class DrawnAnswers {
  public:
    explicit DrawnAnswers(std::uint64_t seed) : seed_(seed) {}
    [[nodiscard]] std::uint64_t below(std::uint64_t n, std::uint64_t question, std::uint64_t a,
                                      std::uint64_t b = 0) const {
        return random_word(random_word(seed_, question, a), question, b) % n;
    }
    [[nodiscard]] bool one_in(std::uint64_t n, std::uint64_t question, std::uint64_t a, std::uint64_t b = 0) const {
        return below(n, question + 100, a, b) == 0;
    }

  private:
    std::uint64_t seed_;
};

Machine drawn_machine(std::uint64_t seed, std::vector<std::string> specs) {
    const DrawnAnswers drawn(seed);
    const std::vector<PortLimit> limits = {PortLimit(1), PortLimit(1), PortLimit(2), PortLimit::all()};
    Machine machine = test::machine(specs[drawn.below(specs.size(), 0, 0)], limits[drawn.below(limits.size(), 1, 0)]);
    if (drawn.one_in(5, 2, 0)) machine.duplex = Duplex::half;
    if (drawn.one_in(5, 3, 0)) machine.noho = Noho::strict;
    if (drawn.one_in(5, 4, 0)) machine.policy = Policy::strict;
    return machine;
}

constexpr Port far_port = 1000;

// ------------------------------------------------------------------------------------------------------------ forwarding

/// Any ports, most of them there; in cycles, too.
class AnyPorts {
  public:
    AnyPorts(std::shared_ptr<const Topology> topology, std::uint64_t seed)
        : topology_(std::move(topology)), drawn_(seed), lies_(drawn_.one_in(2, 0, 0)) {}
    /// `question`: which port of node v is asked for.
    [[nodiscard]] Port port(std::uint64_t question, NodeId v, Port before) const {
        if (lies_ && drawn_.one_in(20, question, v, before)) return far_port;
        const std::uint64_t drawn = drawn_.below(topology_->ports() + 1, question, v, before);
        const bool is_there =
            drawn < topology_->ports() && topology_->across(v, static_cast<Port>(drawn)).node != no_node;
        return is_there || (lies_ && drawn < topology_->ports()) ? static_cast<Port>(drawn) : no_port;
    }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const {
        const NodeId nodes = topology_->nodes();
        if (lies_ && drawn_.one_in(12, 3, v, out)) return PacketSet::range(nodes - 1, nodes + 2);
        const NodeId first = drawn_.below(nodes, 4, v, out);
        return PacketSet::range(first, first + drawn_.below(nodes - first + 1, 5, v, out));
    }

  private:
    std::shared_ptr<const Topology> topology_;
    DrawnAnswers drawn_;
    bool lies_;
};

class AnyForwarding final : public Forwarding {
  public:
    AnyForwarding(const Job& job, bool together, std::uint64_t seed)
        : Forwarding(job.collective, together), ports_(job.machine.topology, seed) {}
    [[nodiscard]] Port first(NodeId v, Port in) const override { return ports_.port(1, v, in); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return ports_.port(2, v, last); }

  private:
    AnyPorts ports_;
};

class AnySplitting : public Splitting {
  public:
    AnySplitting(const Job& job, std::uint64_t seed) : Splitting(job.collective), ports_(job.machine.topology, seed) {}
    [[nodiscard]] Port first(NodeId v, Port in) const override { return ports_.port(1, v, in); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return ports_.port(2, v, last); }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override { return ports_.part(v, out); }

  private:
    AnyPorts ports_;
};

TEST(ADrawnForwarding, HasOneVerdictInEveryExecution) {
    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 40 : 300); ++seed) {
        const DrawnAnswers drawn(seed);
        const Machine machine = drawn_machine(seed, {"hypercube:3", "mesh:3x3", "torus:2x2", "complete:5", "line:5"});
        Job job;
        job.machine = machine;
        job.collective = Collective::broadcast(seed % machine.topology->nodes(), 16);
        job.collective.packets_each = 1 + drawn.below(3, 9, 0);
        job.starters = {job.collective.root};
        const bool together = drawn.one_in(2, 8, 0);
        expect_one_verdict(
            [&] {
                job.program = PlanProgram(std::make_shared<AnyForwarding>(job, together, seed));
                return job;
            },
            fmt::format("{} on {}, {} packets, seed {}", machine.describe(), machine.topology->spec(),
                        job.collective.packets_each, seed));
        if (testing::Test::HasFailure()) return;
    }
}

TEST(AForwarding, SendsAsManyPacketsAsItsCollectiveHas) {
    class AlongTheLine final : public Forwarding {
      public:
        using Forwarding::Forwarding;
        [[nodiscard]] Port first(NodeId v, Port) const override { return v < 4 ? test::rightwards : no_port; }
        [[nodiscard]] Port next(NodeId, Port) const override { return no_port; }
    };
    for (const std::uint64_t packets : {1U, 2U, 5U})
        for (const bool together : {false, true}) {
            const std::string report = expect_one_verdict(
                [&] {
                    Job job;
                    job.machine = test::machine("line:5");
                    job.collective = Collective::broadcast(0, 8);
                    job.collective.packets_each = packets;
                    job.starters = {0};
                    job.program = PlanProgram(std::make_shared<AlongTheLine>(job.collective, together));
                    return job;
                },
                fmt::format("{} packets", packets));
            EXPECT_THAT(report, testing::HasSubstr("delivered true"));
        }
}

TEST(ADrawnSplitting, HasOneVerdictInEveryExecution) {
    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 40 : 300); ++seed) {
        const Machine machine = drawn_machine(seed, {"hypercube:3", "mesh:3x3", "torus:2x2", "complete:5", "line:5"});
        Job job;
        job.machine = machine;
        job.collective = Collective::scatter(seed % machine.topology->nodes(), 16);
        job.starters = {job.collective.root};
        expect_one_verdict(
            [&] {
                job.program = PlanProgram(std::make_shared<AnySplitting>(job, seed));
                return job;
            },
            fmt::format("{} on {}, seed {}", machine.describe(), machine.topology->spec(), seed));
        if (testing::Test::HasFailure()) return;
    }
}

// ------------------------------------------------------------------------------------------------------------- timetables

/// Another timetable, of which next() skips lines; and lies.
class Skips final : public Timetable {
  public:
    enum class Lie : std::uint8_t { none, skips, back, round_0, no_end, far_line };

    Skips(std::shared_ptr<const Timetable> lines, Lie lie, std::uint64_t seed)
        : lines_(std::move(lines)), lie_(lie), drawn_(seed) {}
    [[nodiscard]] Round first(NodeId v) const override { return lies(Lie::round_0, v, 1) ? 0 : lines_->first(v); }
    [[nodiscard]] Round last(NodeId v) const override {
        return lies(Lie::no_end, v, 1) ? std::numeric_limits<Round>::max() : lines_->last(v);
    }
    [[nodiscard]] Round next(NodeId v, Round round) const override {
        if (round > 3 && lies(Lie::back, v, round)) return round - 2;
        return lies(Lie::skips, v, round) ? round + 1 : round;
    }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        if (lies(Lie::far_line, v, round)) return {.to = no_node - 3, .packet = 77, .from = no_node - 2};
        return lines_->line(v, round);
    }

  private:
    [[nodiscard]] bool lies(Lie lie, NodeId v, Round round) const {
        return lie_ == lie && drawn_.one_in(8, 1, v, round);
    }

    std::shared_ptr<const Timetable> lines_;
    Lie lie_;
    DrawnAnswers drawn_;
};

TEST(AnyTimetable, HasOneVerdictInEveryExecution) {
    using Lie = Skips::Lie;
    std::size_t lawful = 0;
    std::size_t refused = 0;
    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 60 : 600); ++seed) {
        const DrawnAnswers drawn(seed);
        const Machine machine = drawn_machine(seed, {"hypercube:3", "mesh:3x3", "torus:2x2", "ring:5"});
        const NodeId root = seed % machine.topology->nodes();
        const std::uint64_t packets = 1 + drawn.below(8, 9, 0);
        const double wrong = drawn.one_in(2, 8, 0) ? 0 : 0.03;
        constexpr std::array lies{Lie::none, Lie::skips, Lie::back, Lie::round_0, Lie::no_end, Lie::far_line};
        const Lie lie = lies[drawn.below(lies.size(), 7, 0)];
        const std::string report = expect_one_verdict(
            [&] {
                const auto lines =
                    std::make_shared<test::DrawnTimetable>(*machine.topology, packets, root, wrong, seed);
                return test::broadcast_by(std::make_shared<Skips>(lines, lie, seed), machine, root, packets);
            },
            fmt::format("{} on {}, {} packets, lie {}, seed {}", machine.describe(), machine.topology->spec(), packets,
                        static_cast<int>(lie), seed));
        lawful += report.find("violations 0") != std::string::npos ? 1 : 0;
        refused += report.starts_with("node ") ? 1 : 0;
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(lawful, 0U);
    EXPECT_GT(refused, 10U);
}

/// Lines of which all but those of the source are empty, or go back.
TEST(ATimetable, WithoutAnEndOrThatGoesBackIsNamed) {
    class Lies final : public Timetable {
      public:
        Lies(Round last, bool goes_back) : last_(last), goes_back_(goes_back) {}
        [[nodiscard]] Round first(NodeId) const override { return 1; }
        [[nodiscard]] Round last(NodeId) const override { return last_; }
        [[nodiscard]] Round next(NodeId, Round round) const override { return goes_back_ && round > 1 ? 1 : round; }
        [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
            return v == 0 && round == 1 ? TimetableLine{.to = 1} : TimetableLine{};
        }

      private:
        Round last_;
        bool goes_back_;
    };
    const auto report_of = [](Round last, bool goes_back) {
        return expect_one_verdict(
            [&] { return test::broadcast_by(std::make_shared<Lies>(last, goes_back), test::machine("line:3"), 0, 2); },
            fmt::format("up to {}", last));
    };
    EXPECT_THAT(report_of(std::numeric_limits<Round>::max(), false), testing::HasSubstr("want 4294967294 at most"));
    EXPECT_THAT(report_of(std::numeric_limits<Round>::max() - 1, false), testing::HasSubstr("empty lines"));
    EXPECT_THAT(report_of(4, true), testing::HasSubstr("goes back: next(2) is 1"));
}

// --------------------------------------------------------------------------------------------------- exchanges and relays

/// Steps, ports and sides are drawn; `alters`: the port of a step is another one each time.
class AnyExchange final : public ValueExchange {
  public:
    AnyExchange(std::shared_ptr<const Topology> topology, std::uint64_t seed, bool alters)
        : topology_(std::move(topology)), drawn_(seed), alters_(alters) {}
    [[nodiscard]] unsigned steps() const override {
        return drawn_.one_in(9, 0, 0) ? std::numeric_limits<unsigned>::max()
                                      : static_cast<unsigned>(drawn_.below(5, 0, 1));
    }
    [[nodiscard]] Port port(unsigned step) const override {
        if (alters_) return asked_.at(step % asked_.size())++ % topology_->ports();
        if (drawn_.one_in(15, 1, step)) return drawn_.one_in(2, 2, step) ? no_port : far_port;
        return drawn_.one_in(3, 3, step) ? static_cast<Port>(drawn_.below(topology_->ports(), 1, step))
                                         : step % topology_->ports();
    }
    [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned step) const override {
        return {drawn_.one_in(6, 4, v, step) != (from < v), from < v || drawn_.one_in(6, 5, v, step)};
    }
    [[nodiscard]] bool keeps_results_apart() const override { return drawn_.one_in(2, 6, 0); }

  private:
    std::shared_ptr<const Topology> topology_;
    DrawnAnswers drawn_;
    bool alters_;
    mutable std::array<std::atomic<Port>, 8> asked_ = {};  ///< by step: the threads ask in any order
};

Job job_of_values(const Machine& machine, const Collective& collective, ProgramFactory program) {
    Job job;
    job.machine = machine;
    job.collective = collective;
    job.program = std::move(program);
    job.all_start = true;
    return job;
}

TEST(AnyExchangeOfValues, HasOneVerdictInEveryExecution) {
    std::size_t two_answers = 0;
    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 40 : 400); ++seed) {
        const DrawnAnswers drawn(seed);
        const Machine machine =
            drawn_machine(seed, {"hypercube:3", "hypercube:2", "torus:2x2", "complete:4", "mesh:2x3"});
        const bool alters = drawn.one_in(5, 9, 0);
        const std::string report = expect_one_verdict(
            [&] {
                return job_of_values(machine, drawn.one_in(2, 8, 0) ? Collective::allreduce(8) : Collective::scan(8),
                                     ExchangeProgram(std::make_shared<AnyExchange>(machine.topology, seed, alters)));
            },
            fmt::format("{} on {}, seed {}", machine.describe(), machine.topology->spec(), seed));
        two_answers += report.find("in two ways") != std::string::npos ? 1 : 0;
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(two_answers, 0U);
}

/// Around a ring, but for what is drawn otherwise.
class AnyRelay final : public SegmentRelay {
  public:
    AnyRelay(std::shared_ptr<const Topology> topology, std::uint64_t seed, bool alters)
        : nodes_(topology->nodes()), drawn_(seed), alters_(alters) {}
    [[nodiscard]] unsigned folding_steps() const override { return changed(1, static_cast<unsigned>(nodes_ - 1)); }
    [[nodiscard]] unsigned steps() const override {
        return drawn_.one_in(12, 0, 0) ? std::numeric_limits<unsigned>::max()
                                       : changed(2, static_cast<unsigned>(2 * (nodes_ - 1)));
    }
    [[nodiscard]] Ports ports(unsigned step) const override {
        if (alters_ && asked_.at(step % asked_.size())++ % 2 == 1) return {no_port, 0};
        if (drawn_.one_in(40, 3, step)) return {0, no_port};
        if (drawn_.one_in(40, 4, step)) return {far_port, 0};
        return {1, 0};
    }
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const override {
        const NodeId own = (v + nodes_ - 1) % nodes_;
        return static_cast<std::uint32_t>(drawn_.one_in(30, 5, v) ? drawn_.below(nodes_ + 2, 5, v) : own);
    }

  private:
    [[nodiscard]] unsigned changed(std::uint64_t question, unsigned right) const {
        return drawn_.one_in(6, question, 0) ? static_cast<unsigned>(drawn_.below(9, question, 0)) : right;
    }

    NodeId nodes_;
    DrawnAnswers drawn_;
    bool alters_;
    mutable std::array<std::atomic<unsigned>, 32> asked_ = {};  ///< by step
};

TEST(AnyRelayOfSegments, HasOneVerdictInEveryExecution) {
    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 40 : 300); ++seed) {
        const DrawnAnswers drawn(seed);
        const Machine machine =
            drawn_machine(seed, {"ring:4", "ring:3", "ring:5", "torus:2x2", "hypercube:2", "line:3"});
        Collective collective = drawn.one_in(2, 8, 0) ? Collective::allreduce(8) : Collective::reduce_scatter(8);
        if (collective.operation == Operation::allreduce) collective.packets_each = machine.topology->nodes();
        const bool alters = drawn.one_in(5, 9, 0);
        expect_one_verdict(
            [&] {
                return job_of_values(machine, collective,
                                     RelayProgram(std::make_shared<AnyRelay>(machine.topology, seed, alters)));
            },
            fmt::format("{} on {}, {}, seed {}", machine.describe(), machine.topology->spec(),
                        name(collective.operation), seed));
        if (testing::Test::HasFailure()) return;
    }
}

/// It may be folded or not, whatever comes: by a link that is not there nothing comes.
TEST(ARelay, ByAPortThatIsNotThereIsNamed) {
    class NoWayIn final : public SegmentRelay {
      public:
        [[nodiscard]] unsigned folding_steps() const override { return 3; }
        [[nodiscard]] unsigned steps() const override { return 6; }
        [[nodiscard]] Ports ports(unsigned) const override { return {0, no_port}; }
        [[nodiscard]] std::uint32_t first_segment(NodeId v) const override { return static_cast<std::uint32_t>(v); }
    };
    const auto report_on = [](const char* spec) {
        const Machine machine = test::machine(spec);
        Collective collective = Collective::allreduce(8);
        collective.packets_each = 4;
        return expect_one_verdict(
            [&] { return job_of_values(machine, collective, RelayProgram(std::make_shared<NoWayIn>())); }, spec);
    };
    EXPECT_THAT(report_on("torus:2x2"), testing::HasSubstr("node 0 (0,0) has no port 0"));
    EXPECT_THAT(report_on("ring:4"), testing::HasSubstr("waits for a message by no_port"));
}

TEST(AnExchange, WithoutAnEndIsOutOfRounds) {
    class NoEnd final : public ValueExchange {
      public:
        [[nodiscard]] unsigned steps() const override { return std::numeric_limits<unsigned>::max(); }
        [[nodiscard]] Port port(unsigned) const override { return 0; }
        [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned) const override { return {from < v, false}; }
    };
    for (const Round max_rounds : {4U, 1000U}) {
        const std::string report = expect_one_verdict(
            [&] {
                return job_of_values(test::machine("hypercube:2"), Collective::allreduce(8),
                                     ExchangeProgram(std::make_shared<NoEnd>()));
            },
            fmt::format("{} rounds", max_rounds), max_rounds);
        EXPECT_EQ(report, "out of rounds") << max_rounds;
    }
}

// ------------------------------------------------------------------------------------------ two answers to one question

/// Which questions have been asked before.
class Before {
  public:
    [[nodiscard]] bool has(std::uint64_t question, std::uint64_t a, std::uint64_t b) const {
        const std::lock_guard lock(mutex_);
        return !asked_.emplace(question, a, b).second;
    }

  private:
    mutable std::mutex mutex_;
    mutable std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> asked_;
};

class OtherLinesLater final : public Timetable {
  public:
    explicit OtherLinesLater(std::shared_ptr<const Timetable> lines) : lines_(std::move(lines)) {}
    [[nodiscard]] Round first(NodeId v) const override { return lines_->first(v); }
    [[nodiscard]] Round last(NodeId v) const override { return lines_->last(v); }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        TimetableLine line = lines_->line(v, round);
        if (before_.has(0, v, round)) line.packet ^= 1;
        return line;
    }

  private:
    std::shared_ptr<const Timetable> lines_;
    Before before_;
};

class OtherPartsLater final : public AnySplitting {
  public:
    OtherPartsLater(const Job& job, std::uint64_t seed)
        : AnySplitting(job, seed), nodes_(job.machine.topology->nodes()) {}
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override {
        return before_.has(0, v, out) ? PacketSet::range(0, nodes_) : AnySplitting::part(v, out);
    }

  private:
    NodeId nodes_;
    Before before_;
};

class OtherFoldsLater final : public ValueExchange {
  public:
    OtherFoldsLater(std::shared_ptr<const Topology> topology, std::uint64_t seed)
        : same_(std::move(topology), seed, false) {}
    [[nodiscard]] unsigned steps() const override { return std::min(same_.steps(), 5U); }
    [[nodiscard]] Port port(unsigned step) const override { return same_.port(step); }
    [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned step) const override {
        Folds folds = same_.folds(v, from, step);
        if (before_.has(0, v, step)) folds.on_the_left = !folds.on_the_left;
        return folds;
    }
    [[nodiscard]] bool keeps_results_apart() const override { return same_.keeps_results_apart(); }

  private:
    AnyExchange same_;
    Before before_;
};

class OtherSegmentsLater final : public SegmentRelay {
  public:
    OtherSegmentsLater(std::shared_ptr<const Topology> topology, std::uint64_t seed)
        : nodes_(topology->nodes()), same_(std::move(topology), seed, false) {}
    [[nodiscard]] unsigned folding_steps() const override { return same_.folding_steps(); }
    [[nodiscard]] unsigned steps() const override { return std::min(same_.steps(), 12U); }
    [[nodiscard]] Ports ports(unsigned step) const override { return same_.ports(step); }
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const override {
        const std::uint32_t first = same_.first_segment(v);
        return before_.has(0, v, 0) ? static_cast<std::uint32_t>((first + 1) % nodes_) : first;
    }

  private:
    NodeId nodes_;
    AnyRelay same_;
    Before before_;
};

/// Every execution tells what programs do, or names the lie. Returns how many name it. A free run that needs rounds asks again, and
/// says so (RunResult::needs_rounds).
std::size_t expect_no_silent_difference(const MakesJob& make, const std::string& where) {
    const auto all = told_by_all(make, 60);
    std::size_t named = 0;
    for (const auto& [name, report] : all) {
        const bool names = report.find("answers one question in two ways") != std::string::npos;
        named += names ? 1 : 0;
        if (names || name.starts_with("free")) continue;
        EXPECT_EQ(report, all.at("programs")) << name << ": " << where;
    }
    return named;
}

TEST(AText, ThatAnswersOtherwiseLaterIsNamedWhereItIsAskedAgain) {
    std::size_t timetables = 0;
    std::size_t splittings = 0;
    std::size_t exchanges = 0;
    std::size_t relays = 0;
    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 20 : 150); ++seed) {
        const Machine machine = drawn_machine(seed, {"hypercube:3", "hypercube:2", "ring:4"});
        const std::shared_ptr<const Topology> topology = machine.topology;
        const std::string where = fmt::format("{} on {}, seed {}", machine.describe(), topology->spec(), seed);
        timetables += expect_no_silent_difference(
            [&] {
                const auto lines = std::make_shared<test::DrawnTimetable>(*topology, 6, 0, 0.05, seed);
                return test::broadcast_by(std::make_shared<OtherLinesLater>(lines), machine, 0, 6);
            },
            where);
        Job scatter;
        scatter.machine = machine;
        scatter.collective = Collective::scatter(0, 16);
        scatter.starters = {0};
        splittings += expect_no_silent_difference(
            [&] {
                scatter.program = PlanProgram(std::make_shared<OtherPartsLater>(scatter, seed));
                return scatter;
            },
            where);
        exchanges += expect_no_silent_difference(
            [&] {
                return job_of_values(machine, Collective::scan(8),
                                     ExchangeProgram(std::make_shared<OtherFoldsLater>(topology, seed)));
            },
            where);
        Collective collective = Collective::allreduce(8);
        collective.packets_each = topology->nodes();
        relays += expect_no_silent_difference(
            [&] {
                return job_of_values(machine, collective,
                                     RelayProgram(std::make_shared<OtherSegmentsLater>(topology, seed)));
            },
            where);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(timetables, 0U);
    EXPECT_GT(splittings, 0U);
    EXPECT_GT(exchanges, 0U);
    EXPECT_GT(relays, 0U);
}

// --------------------------------------------------------------------------------------------------- rounds without an end

TEST(AProgram, ThatWaitsForARoundBehindAllRoundsIsOutOfRoundsInEveryExecution) {
    for (const Round round : {std::numeric_limits<Round>::max(), std::numeric_limits<Round>::max() - 1, Round{1000}}) {
        const std::string report = expect_one_verdict(
            [&] {
                return job_of_values(test::machine("line:3"), Collective::none(), [round](Node& self) -> Program {
                    return [](Node& node, Round far) -> Program {
                        co_await node.until(far);
                        const Data data(node.id());
                        co_await node.send(node.id() == 0 ? test::rightwards : test::leftwards, data);
                    }(self, round);
                });
            },
            fmt::format("round {}", round));
        EXPECT_EQ(report, "out of rounds");
    }
}

TEST(ARun, HasAtMostSoManyRoundsAsRoundNumbersCount) {
    const Job job = job_of_values(test::machine("line:2"), Collective::none(), [](Node&) -> Program { co_return; });
    RunOptions options;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        options.engine = engine;
        options.max_rounds = max_rounds_max;
        EXPECT_NO_THROW((void)run(job, options));
        options.max_rounds = max_rounds_max + 1;
        EXPECT_THROW((void)run(job, options), RequestError);
    }
}

}  // namespace
}  // namespace kport
