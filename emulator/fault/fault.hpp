/// @file fault.hpp   The faults that can be injected to test the auditor, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/audit/verdict.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

enum class Fault : std::uint8_t {
    drop,
    duplicate,
    echo,
    misdeliver,
    forge,
    send_unheld,
    take_apart,
    corrupt,
    lose_payload,
    reorder,
    late,
    same_round,
    exceed_sends,
    exceed_receives,
    exceed_both,
    second_partner,
    channel_twice,
    link_both_ways,
    jump,
    no_such_edge,
    visit_twice,
    bundle,
    silent_round,
    malformed,
    fold_twice,
    fold_not,
    fold_out_of_order,
    lose_wake_up
};

/// Where a fault is injected.
enum class FaultPlace : std::uint8_t {
    transfers,  ///< in a run's transfers, which then move again with their bytes (fault/tampering.hpp)
    engine      ///< into the engine, while the programs run (engine/sabotage.hpp)
};

struct FaultInfo {
    Fault fault;
    std::string_view name;   ///< on the command line: "drop"
    std::string_view about;  ///< one line
    std::string_view needs;  ///< runs with a place for it; empty: any run with a message
    FaultPlace place = FaultPlace::transfers;

    /// Whether the transfers stay as they are, and only bytes go wrong on their way.
    [[nodiscard]] bool of_bytes() const { return fault == Fault::corrupt || fault == Fault::lose_payload; }
    /// Whether it is one of the folds of a reduction.
    [[nodiscard]] bool folds() const { return fault >= Fault::fold_twice && fault <= Fault::fold_out_of_order; }
};

/// All of them, in the order of the enumeration.
[[nodiscard]] const std::vector<FaultInfo>& faults();
[[nodiscard]] const FaultInfo& info(Fault fault);
/// Throws RequestError with the nearest valid name.
[[nodiscard]] Fault fault_named(std::string_view word);

/// The packets as violations name them: by their numbers; of a reduction in several segments each has N + 1, the contributions
/// and the result.
[[nodiscard]] std::vector<PacketId> violation_names(std::span<const PacketBlock> packets, const Collective& collective,
                                                    NodeId nodes);

/// An injected fault, and the violation that an auditor must report.
struct Injected {
    Fault fault = Fault::drop;
    std::string what = {};  ///< "the message of round 2 from node 1 to node 3 is lost"
    /// The rule that it breaks; nothing if the request itself becomes wrong (malformed).
    std::optional<Rule> rule = {};
    std::optional<Round> round = {};      ///< in which; nothing: not in one round
    std::optional<NodeId> node = {};      ///< where; nothing: at some node
    std::vector<PacketId> packets = {};   ///< the violation names one of them (violation_names()); empty: any
    std::uint64_t numbers_a_segment = 0;  ///< of a reduction in several segments, which violations name apart
    /// Whether a rule must break. If not, the fault may be harmless, such as a lost wake-up before further mail.
    bool certain = true;
    /// If the rule is counted: how often it was not kept before this fault was injected.
    std::uint64_t counted_before = 0;

    /// Whether a violation reports this fault.
    [[nodiscard]] bool told_by(const Violation& violation) const;
};

/// What an audit says of an injected fault.
enum class Finding : std::uint8_t {
    reported,       ///< a violation reports it
    counted,        ///< its rule is counted and no law, and the count tells of it
    not_looked_at,  ///< its rule is off
    harmless,       ///< nothing tells of it, and nothing has to
    missed          ///< something had to break and was not told: a fault of kport
};
[[nodiscard]] std::string_view name(Finding finding);  ///< "reported", "counted", "not looked at", "harmless", "missed"

struct Found {
    Finding finding = Finding::harmless;
    const Violation* violation = nullptr;  ///< of the verdict, if it lists the one that reports the fault

    explicit operator bool() const { return finding == Finding::reported || finding == Finding::counted; }
};
/// Of a run that came to its end.
[[nodiscard]] Found found(const Injected& fault, const Verdict& verdict);

}  // namespace kport
