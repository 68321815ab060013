/// @file violation.hpp   A broken rule, with its whole story.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/audit/breach.hpp"
#include "emulator/base/types.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

struct Violation {
    Breach breach = Breach::never_received;
    Round round = 0;
    NodeId node = no_node;
    Port port = no_port;
    PacketId packet = 0;
    NodeId other = no_node;
    Round earlier = 0;
    NodeId earlier_other = no_node;
    std::uint64_t limit = 0;

    [[nodiscard]] Rule rule() const { return rule_of(breach); }
    /// Violations are listed in this order, whatever the thread that found them.
    [[nodiscard]] auto order() const {
        return std::tuple(stage_of(breach), round, node, breach, port, packet, other, earlier, earlier_other, limit);
    }
    bool operator<(const Violation& that) const { return order() < that.order(); }
    bool operator==(const Violation&) const = default;
};

/// One readable sentence, with a way out where one is known.
[[nodiscard]] std::string sentence(const Violation& violation, const Topology& topology);
/// The headline and the events, a line each: "NODUP broken: node 5 receives packet 0 twice", "  round 2 from ...".
[[nodiscard]] std::vector<std::string> story(const Violation& violation, const Topology& topology);

/// The first violations in order, and the number of all.
///
/// Callers   one task at a time; merge() brings those of several tasks together.
/// Cost      O(log listed_max) an entry at worst; O(1) once the list is full of smaller ones.
class ViolationLog {
  public:
    static constexpr std::size_t listed_max = 100;

    void add(const Violation& violation);
    void merge(const ViolationLog& other);
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t count(Rule rule) const { return by_rule_[static_cast<std::size_t>(rule)]; }
    /// Whether one of them comes_of_competition().
    [[nodiscard]] bool tells_of_competition() const { return competition_; }
    /// In order.
    [[nodiscard]] std::vector<Violation> listed() const;

  private:
    void keep(const Violation& violation);

    std::vector<Violation> heap_;  ///< the smallest listed_max, the largest of them on top
    std::uint64_t count_ = 0;
    std::uint64_t by_rule_[rules] = {};
    bool competition_ = false;
};

}  // namespace kport
