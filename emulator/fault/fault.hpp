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
    transfers,  ///< a run's transfers, which are then replayed with their bytes (fault/tampering.hpp)
    engine      ///< into the engine, while the programs run (engine/sabotage.hpp)
};

struct FaultInfo {
    Fault fault;
    std::string_view name;   ///< on the command line: "drop"
    std::string_view about;  ///< one line
    std::string_view needs;  ///< runs with a place for it; empty: any run with a message
    FaultPlace place = FaultPlace::transfers;

    /// Whether the transfers stay as they are and only their bytes change.
    [[nodiscard]] bool of_bytes() const { return fault == Fault::corrupt || fault == Fault::lose_payload; }
    /// Whether it changes how a reduction combines values.
    [[nodiscard]] bool folds() const { return fault >= Fault::fold_twice && fault <= Fault::fold_out_of_order; }
};

/// Returns all faults in the order of the enumeration.
[[nodiscard]] const std::vector<FaultInfo>& faults();
[[nodiscard]] const FaultInfo& info(Fault fault);
/// Returns the fault of that name. Throws RequestError that suggests the nearest name.
[[nodiscard]] Fault fault_named(std::string_view word);

/// Returns packets as violations name them: by number; in a reduction with several segments each segment has N + 1
/// names, for the contributions and the result.
[[nodiscard]] std::vector<PacketId> violation_names(std::span<const PacketBlock> packets, const Collective& collective,
                                                    NodeId nodes);

/// An injected fault, and the violation that an auditor must report.
struct Injected {
    Fault fault = Fault::drop;
    std::string what = {};  ///< "the message of round 2 from node 1 to node 3 is lost"
    /// The rule that it breaks; nothing if the request itself becomes invalid (malformed).
    std::optional<Rule> rule = {};
    std::optional<Round> round = {};     ///< the round; nothing: not in one round
    std::optional<NodeId> node = {};     ///< the node; nothing: any node
    std::vector<PacketId> packets = {};  ///< the violation names one of them (violation_names()); empty: any
    /// reductions with several segments, whose packets violations name by segment
    std::uint64_t numbers_a_segment = 0;
    /// Whether a rule must be broken. If not, the fault may be harmless, such as a lost wake-up before further mail.
    bool certain = true;
    /// If the rule is counted: how often it was violated before this fault was injected.
    std::uint64_t counted_before = 0;

    /// Whether a violation reports this fault.
    [[nodiscard]] bool told_by(const Violation& violation) const;
};

/// Whether an audit found an injected fault.
enum class Finding : std::uint8_t {
    reported,       ///< a violation reports it
    counted,        ///< its rule is counted but not enforced, and the count includes it
    not_looked_at,  ///< its rule is not checked
    harmless,       ///< no violation reports it, and none is required
    missed          ///< a required violation is missing: an error of kport
};
[[nodiscard]] std::string_view name(Finding finding);  ///< "reported", "counted", "not looked at", "harmless", "missed"

struct Found {
    Finding finding = Finding::harmless;
    const Violation* violation = nullptr;  ///< the violation that reports the fault, if the verdict lists it

    explicit operator bool() const { return finding == Finding::reported || finding == Finding::counted; }
};
/// Compares a fault with the verdict of a run that ended.
[[nodiscard]] Found found(const Injected& fault, const Verdict& verdict);

}  // namespace kport
