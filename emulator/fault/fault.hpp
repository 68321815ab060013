/// @file fault.hpp   What may be made to go wrong on purpose, by name, so that the auditor can show that it sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/audit/violation.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

enum class Fault : std::uint8_t {
    drop,
    duplicate,
    echo,
    misdeliver,
    forge,
    send_unheld,
    corrupt,
    reorder,
    late,
    same_round,
    exceed_sends,
    exceed_receives,
    exceed_both,
    channel_twice,
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

/// Where a fault is put in.
enum class FaultPlace : std::uint8_t {
    transfers,  ///< into what a run moved, which is then moved again with its bytes (fault/tampering.hpp)
    engine      ///< into the engine, while the programs run (engine/sabotage.hpp)
};

struct FaultInfo {
    Fault fault;
    std::string_view name;   ///< on the command line: "drop"
    std::string_view about;  ///< what goes wrong, in one line
    std::string_view needs;  ///< the runs in which it can be; empty: any in which a message is sent
    FaultPlace place = FaultPlace::transfers;

    /// Whether it is one of the folds of a reduction.
    [[nodiscard]] bool folds() const { return fault >= Fault::fold_twice && fault <= Fault::fold_out_of_order; }
};

/// All of them, in the order of the enumeration.
[[nodiscard]] const std::vector<FaultInfo>& faults();
[[nodiscard]] const FaultInfo& info(Fault fault);
/// Throws RequestError with the nearest valid name.
[[nodiscard]] Fault fault_named(std::string_view word);

/// A fault that was put in, and what an auditor has to say of it.
struct Injected {
    Fault fault = Fault::drop;
    std::string what = {};  ///< "the message of round 2 from node 1 to node 3 does not come"
    /// The rule that it breaks; nothing where the request itself becomes wrong (malformed).
    std::optional<Rule> rule = {};
    std::optional<Round> round = {};     ///< in which; nothing: not in one round
    std::optional<NodeId> node = {};     ///< where; nothing: at some node
    std::vector<PacketId> packets = {};  ///< one of which is named; empty: any
    /// Whether a rule must break. Else the fault may be healed or harmless, as a lost wake-up before further mail.
    bool certain = true;

    /// Whether a violation says just this.
    [[nodiscard]] bool told_by(const Violation& violation) const;
};

}  // namespace kport
