/// @file planned.hpp   Schedules that are computed once and then followed by every node.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The program of an algorithm whose schedule is computed in advance: each node sends and receives, in their rounds,
/// what its lines of the plan say (engine/script.hpp). The plan lives as long as the programs. Where each packet is for
/// one node only, no other node keeps it: a node passes on what it sends.
///
/// `routes`: of_machine where the plan names hosts only.
///
/// Errors   RequestError for a plan that is no schedule of this machine, or that lets a round pass without a transfer.
[[nodiscard]] Start following(Schedule plan, const Machine& machine, const Collective& collective,
                              Routes routes = Routes::of_machine);
[[nodiscard]] Start following(std::shared_ptr<const Schedule> plan, const Machine& machine,
                              const Collective& collective, Routes routes = Routes::of_machine);

/// What a planner finds.
struct Planned {
    Schedule schedule;      ///< empty: none
    bool is_least = false;  ///< it is known that no other one takes less
};

/// The cheapest of the plans for this machine and for those with a rule more: half duplex links, and with one port pairwise. What is
/// lawful there is lawful here, and a greedy plan or a short search sometimes finds the better schedule where less is allowed. Only
/// those are planned whose bound on latency is below what was found.
[[nodiscard]] Schedule cheapest_plan(const Machine& machine, const Collective& collective,
                                     const std::function<Planned(const Machine&)>& plan);

/// The most recent small plans, since bounds, choice and run ask for the same one. Thread-safe.
class KeptPlans {
  public:
    using Shared = std::shared_ptr<const Schedule>;

    explicit KeptPlans(std::size_t plans_max = 8, std::size_t messages_max = 1 << 16)
        : plans_max_(plans_max), messages_max_(messages_max) {}

    /// Returns make(), or what it gave for an equal machine and collective. `besides`: what else it depends on.
    [[nodiscard]] Shared of(const Machine& machine, const Collective& collective, const std::function<Schedule()>& make,
                            std::string_view besides = "");

  private:
    struct Entry {
        std::weak_ptr<const Topology> topology;
        std::weak_ptr<const Counts> counts;
        std::weak_ptr<const RankedNodes> members;
        std::string asked;  ///< rules of the machine, and the rest of the collective
        Shared plan;
    };

    std::size_t plans_max_;
    std::size_t messages_max_;
    std::mutex mutex_;
    std::deque<Entry> entries_;
};

/// Returns the lower bound on the rounds: a plan that meets it need not be bettered.
[[nodiscard]] Round least_rounds(const Machine& machine, const Collective& collective);

/// Returns the plan's costs, counted. O(transfers).
[[nodiscard]] ExpectedCost counted_cost(const Schedule& plan, const Machine& machine, const Collective& collective);

/// Returns the memory of a plan: for each message over one link its line and the two steps of its ends; and for each
/// block of packets, in lists that take up to twice as much while they grow.
[[nodiscard]] inline double plan_bytes(const PlanSize& plan) {
    constexpr double bytes_message = 112;
    constexpr double bytes_block = 48;
    return plan.messages * bytes_message + plan.blocks * bytes_block + plan.bytes;
}
/// expect() makes plans up to this size to count their costs, in some hundredths of a second.
inline constexpr double plan_bytes_counted = 4.0 * 1024 * 1024;

/// Switches to each of which every host is linked, by links of one capacity, as in a crossbar or a box of GPUs.
struct ParallelSwitches {
    NodeId switches;
    std::uint64_t capacity;  ///< of a link
};

/// The most hosts whose messages are given switches.
inline constexpr NodeId parallel_hosts_max = 512;

/// Returns the switches of a machine on which a plan may choose one for each message: hosts have no other links and several channels,
/// links are full duplex, switches have no limit, and routing is fixed. Nothing for any other machine. O(hosts * switches).
[[nodiscard]] std::optional<ParallelSwitches> parallel_switches(const Machine& machine);

/// Returns a plan of messages between hosts with the way of each through a switch. In a round in which no host sends or receives more
/// messages than it has channels, no two take the same channel.
///
/// Idea     The messages of a round are edges between senders and receivers, and as many colours do as the largest degree (Koenig
///          1916); a switch has as many colours as the capacity of its links.
/// Memory   that of the plan, and of a round.
[[nodiscard]] Schedule through_parallel_switches(const Schedule& plan, const Topology& hosts,
                                                 const ParallelSwitches& switches);

}  // namespace kport
