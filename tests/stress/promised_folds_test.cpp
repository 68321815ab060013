// The auditor and the umpire judge folds that files promise, and never disagree (stress/second_opinion.hpp).
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "app/files/promise_file.hpp"
#include "app/stress/second_opinion.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

constexpr std::uint64_t promises_drawn = test::under_address_sanitizer ? 2'000 : 20'000;

using Contributions = std::set<std::uint32_t>;

/// A promise of folds on a small machine, and messages that follow from what nodes have, or do not.
class PromisedFolds {
  public:
    explicit PromisedFolds(std::uint64_t seed) : random_(seed) {
        is_tame_ = one_in(2);
        nodes_ = number(2, is_tame_ ? 4 : 5);
        segments_ = number(1, is_tame_ ? 2 : 3);
        const std::vector<std::string> families{"complete", "ring", "line"};
        on_ = fmt::format("{}:{}", families[number(0, 2)], nodes_ < 3 ? nodes_ = 3 : nodes_);
        say_promise();
        std::istringstream in(text_);
        ToldPromise told = read_promise(in, "p.txt", nullptr, 8);
        machine.topology = told.topology;
        machine.ports = is_tame_ ? PortLimit::all() : PortLimit(static_cast<Port>(number(1, 2)));
        machine.combining = is_tame_ || !one_in(4);
        machine.noho = one_in(4) ? Noho::strict : Noho::wide;
        collective = std::move(told.collective);
        move();
    }

    [[nodiscard]] std::string text() const {
        std::string all = text_;
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const Transfer transfer = schedule.transfer(i);
            all += fmt::format("round {}: {} -> {}", schedule.round(i), transfer.from, transfer.to);
            for (const PacketBlock& block : transfer.packets)
                for (std::uint32_t k = 0; k < block.count; ++k)
                    all += fmt::format(" {}:{}", block.columns()[k], block.row);
            all += "\n";
        }
        return all;
    }

    Machine machine;
    Collective collective;
    Schedule schedule;

  private:
    std::uint64_t number(std::uint64_t least, std::uint64_t most) {
        return std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
    }
    bool one_in(std::uint64_t n) { return number(1, n) == 1; }

    void say_promise() {
        text_ = fmt::format("on {}\nsegments {}\n", on_, segments_);
        for (std::uint32_t s = 0; s < segments_; ++s) {
            std::vector<std::uint64_t> givers;
            for (std::uint64_t v = 0; v < nodes_; ++v)
                if (!one_in(5)) givers.push_back(v);
            for (const std::uint64_t v : givers) {
                text_ += fmt::format("gives {}: {}\n", v, s);
                given_.insert({v, s});
            }
            if (givers.empty()) continue;
            const bool same = one_in(2);
            std::vector<std::uint64_t> list = some_of(givers);
            for (std::uint64_t v = 0; v < nodes_; ++v) {
                if (one_in(is_tame_ ? 2 : 3)) continue;
                if (!same) list = some_of(givers);
                text_ +=
                    fmt::format("takes {}: {} of {}{}\n", v, s, fmt::join(list, ","), one_in(2) ? " in order" : "");
            }
        }
        if (!is_tame_ && one_in(4)) text_ += "relay none\n";
    }
    std::vector<std::uint64_t> some_of(const std::vector<std::uint64_t>& all) {
        std::vector<std::uint64_t> some;
        for (const std::uint64_t v : all)
            if (!one_in(4)) some.push_back(v);
        return some.empty() ? all : some;
    }

    void move() {
        held_.resize(nodes_);
        for (const auto& [v, s] : given_) held_[v][s] = {{static_cast<std::uint32_t>(v)}};
        const std::uint64_t rounds = number(1, 6);
        for (std::uint64_t round = 1; round <= rounds; ++round) {
            std::vector<std::pair<std::uint64_t, std::map<std::uint32_t, Contributions>>> coming;
            std::set<std::uint64_t> receivers;
            for (std::uint64_t u = 0; u < nodes_; ++u) {
                if (one_in(3)) continue;
                const auto port = static_cast<Port>(number(0, machine.topology->degree(u) - 1));
                const std::uint64_t v = machine.topology->across(u, port).node;
                if (v == no_node || (!receivers.insert(v).second && (is_tame_ || !one_in(6)))) continue;
                std::map<std::uint32_t, Contributions> message;
                PacketSet packets;
                const auto result = static_cast<std::uint32_t>(nodes_);
                if (!is_tame_ && one_in(6)) {
                    const auto s = static_cast<std::uint32_t>(number(0, segments_ - 1));
                    packets.add(PacketBlock{result, 1, 1, s});
                } else {
                    for (std::uint32_t s = 0; s < segments_; ++s)
                        if (one_in(2)) message[s] = value_of(u, v, s);
                    for (const auto& [s, value] : message)
                        for (const std::uint32_t w : value) packets.add(PacketBlock{w, 1, 1, s});
                }
                if (packets.empty()) continue;
                schedule.add(static_cast<Round>(round), {u, v, {&port, 1}, packets.blocks()});
                coming.emplace_back(v, std::move(message));
            }
            for (auto& [v, message] : coming)
                for (auto& [s, value] : message)
                    if (!value.empty()) held_[v][s].push_back(std::move(value));
        }
    }
    /// Of parts that u has and v lacks, or of any.
    Contributions value_of(std::uint64_t u, std::uint64_t v, std::uint32_t s) {
        Contributions value;
        if (!is_tame_ && one_in(12)) {
            for (std::uint32_t w = 0; w < nodes_; ++w)
                if (one_in(3)) value.insert(w);
            return value;
        }
        Contributions known;
        for (const Contributions& part : held_[v][s]) known.insert(part.begin(), part.end());
        for (const Contributions& part : held_[u][s]) {
            bool is_new = true;
            for (const std::uint32_t w : part) is_new = is_new && !known.contains(w) && !value.contains(w);
            if (is_new && !one_in(4)) value.insert(part.begin(), part.end());
        }
        return value;
    }

    std::mt19937_64 random_;
    bool is_tame_ = false;  ///< on purpose it breaks nothing
    std::uint64_t nodes_ = 0;
    std::uint64_t segments_ = 0;
    std::string on_;
    std::string text_;
    std::set<std::pair<std::uint64_t, std::uint32_t>> given_;
    std::vector<std::map<std::uint32_t, std::vector<Contributions>>> held_;
};

TEST(PromisesOfFolds, AreJudgedByTheUmpireAsByTheAuditor) {
    std::uint64_t delivered = 0;
    std::uint64_t lawful = 0;
    std::uint64_t out_of_order = 0;
    for (std::uint64_t i = 0; i < promises_drawn; ++i) {
        const PromisedFolds game(i);
        const Verdict verdict = audit(game.schedule, game.machine, game.collective, false);
        ASSERT_EQ(second_opinion(game.schedule, game.machine, game.collective, verdict), "")
            << "case " << i << "\n"
            << game.text() << test::text(verdict, *game.machine.topology);
        delivered += verdict.delivered ? 1 : 0;
        lawful += verdict.lawful() ? 1 : 0;
        for (const Violation& found : verdict.violations)
            out_of_order += found.breach == Breach::not_side_by_side ? 1 : 0;
    }
    EXPECT_GT(delivered, promises_drawn / 100);
    EXPECT_GT(lawful, promises_drawn / 100);
    EXPECT_GT(out_of_order, promises_drawn / 100);
}

TEST(PromisesOfFolds, AreNeverBoundedAboveWhatALawfulScheduleTook) {
    for (std::uint64_t i = 0; i < promises_drawn; ++i) {
        const PromisedFolds game(i);
        const Verdict verdict = audit(game.schedule, game.machine, game.collective, false);
        if (!verdict.lawful()) continue;
        const Bounds bounds = lower_bounds(game.machine, game.collective);
        const auto least = [&](Quantity quantity) { return bounds[quantity].largest().value_or(0); };
        const auto most = [](std::uint64_t number) { return static_cast<double>(number); };
        EXPECT_LE(least(Quantity::rounds), most(verdict.metrics.rounds)) << i << "\n" << game.text();
        EXPECT_LE(least(Quantity::work), most(verdict.metrics.work)) << i << "\n" << game.text();
        EXPECT_LE(least(Quantity::path_sum), most(verdict.metrics.path_sum)) << i << "\n" << game.text();
        EXPECT_LE(least(Quantity::volume), most(verdict.metrics.volume)) << i << "\n" << game.text();
        EXPECT_LE(least(Quantity::latency), verdict.metrics.latency * (1 + 1e-12)) << i << "\n" << game.text();
    }
}

}  // namespace
}  // namespace kport
