/// @file violation.hpp   A violation of a rule, with all that explains it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/audit/breach.hpp"
#include "emulator/base/types.hpp"
#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/packet_block.hpp"
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
    static constexpr std::uint32_t no_segment = 0xFFFFFFFF;
    std::uint32_t segment = no_segment;  ///< of several: of which `packet` is a contribution, or N its result

    /// Names the lowest of some packets; contributions to several segments are named by node and segment.
    void name_packet(std::span<const PacketBlock> packets, NodeId of_nodes, std::uint64_t segments) {
        packet = lowest_of(packets, segments == 1 ? of_nodes : of_nodes + 1);
        if (segments == 1) return;
        segment = static_cast<std::uint32_t>(packet / (of_nodes + 1));
        packet %= of_nodes + 1;
    }
    [[nodiscard]] Rule rule() const { return rule_of(breach); }
    /// Order of violations in lists, whatever thread found them. A packet that comes twice or comes home follows from
    /// what was sent in its round.
    [[nodiscard]] auto order() const {
        const bool follows = breach == Breach::received_again || breach == Breach::received_own;
        return std::tuple(stage_of(breach), round, follows, node, breach, port, packet, other, earlier, earlier_other,
                          limit, segment);
    }
    bool operator<(const Violation& that) const { return order() < that.order(); }
    bool operator==(const Violation&) const = default;
};

/// Returns one readable sentence, with a remedy where one is known.
[[nodiscard]] std::string sentence(const Violation& violation, const Topology& topology);
/// Returns the headline and the events, a line each: "NODUP broken: node 5 receives packet 0 twice", "  round 2 from
/// ...".
[[nodiscard]] std::vector<std::string> story(const Violation& violation, const Topology& topology);

[[nodiscard]] constexpr Force force_of(const Rules& judged_by, Rule rule) {
    return rule == Rule::nodup ? judged_by.nodup : rule == Rule::noho ? judged_by.noho : Force::law;
}

/// How often a rule that is counted, but not enforced, was violated, and the first case.
struct Counted {
    Rule rule;
    std::uint64_t count = 0;
    std::optional<Violation> first;

    bool operator==(const Counted&) const = default;
};
/// Returns the sentence about a counted rule: "NODUP not kept: node 5 receives packet 0 twice: ...".
[[nodiscard]] std::string sentence_of_first(const Counted& counted, const Topology& topology);

/// The first violations in order, and the number of all.
///
/// Callers   one task at a time; merge() adds the logs of several tasks.
/// Cost      O(log most) an entry at worst; O(1) once the list is full of smaller ones.
class ViolationLog {
  public:
    static constexpr std::size_t listed_max = 100;

    /// Lists at most `most` of them. For rules that are not enforced it keeps their number, and the first case if they
    /// are counted.
    explicit ViolationLog(const Rules& judged_by = {}, std::size_t most = listed_max)
        : rules_(judged_by), most_(most) {}

    void add(const Violation& violation);
    void merge(const ViolationLog& other);
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// Number of violations of a rule, enforced or not.
    [[nodiscard]] std::uint64_t count(Rule rule) const { return by_rule_[static_cast<std::size_t>(rule)]; }
    /// Whether one of them comes_of_competition().
    [[nodiscard]] bool tells_of_competition() const { return competition_; }
    [[nodiscard]] bool is_law(Rule rule) const { return force_of(rules_, rule) == Force::law; }
    /// Calls visit(violation&) for all that would be listed. visit() may change only fields that order() compares after
    /// `earlier_other`.
    template <class Visit>
    void for_each(const Visit& visit) {
        for (Violation& violation : heap_) visit(violation);
        for (Violation& violation : first_) visit(violation);
    }
    /// Passes all members to an archive (ranks/letter.hpp).
    template <class Archive>
    void travel(Archive& archive) {
        archive(first_, heap_, count_, by_rule_, competition_);
    }
    /// Returns the violations of enforced rules, in order.
    [[nodiscard]] std::vector<Violation> listed() const;
    /// Returns the rules that are counted, in the order of Rule.
    [[nodiscard]] std::vector<Counted> counted() const;

  private:
    void keep(const Violation& violation);
    void note_first(const Violation& violation);

    Rules rules_;
    std::vector<Violation> first_;  ///< of each rule that is counted
    std::size_t most_;
    std::vector<Violation> heap_;  ///< the smallest ones, the largest of them on top
    std::uint64_t count_ = 0;
    std::array<std::uint64_t, rules> by_rule_ = {};
    bool competition_ = false;
};

/// Returns the wait-for cycles among nodes that wait for ever for a message by one port: each node waits for the next,
/// the last for the first. A cycle begins with its lowest node; cycles ascend. O(v log v) for v violations.
[[nodiscard]] std::vector<std::vector<NodeId>> waiting_cycles(const std::vector<Violation>& violations);

/// Returns "node 2 waits for node 6, node 6 waits for node 2"; a long cycle is abbreviated in the middle.
[[nodiscard]] std::string cycle_in_words(const std::vector<NodeId>& cycle, const Topology& topology);

}  // namespace kport
