/// @file encounters.hpp   Which nodes meet in a round, and over which links: half duplex links and pairwise machines.
#pragma once

#include <compare>
#include <vector>

#include "emulator/audit/violation.hpp"
#include "emulator/machine/machine.hpp"

namespace KPORT_PUBLIC kport {

/// Rules that no single transfer shows (model.md section 1): a half duplex link carries one direction a round, and a
/// node of a pairwise machine has one partner a round. Collected by transfer, judged at the end of the round.
///
/// Callers   one task at a time; take() merges the collections of several tasks.
/// Reports   one violation a link or node and round, whatever the order in which transfers were shown.
/// Cost      O(c log c) a round for c messages and links crossed.
class Encounters {
  public:
    void met(NodeId from, NodeId to);
    /// The message of `sender` leaves v by the port, where there is a link.
    void crossed(const Topology& topology, NodeId v, Port port, NodeId sender);
    /// Moves the entries of another collection into this one.
    void take(Encounters& other);
    /// Passes all members to an archive (ranks/letter.hpp).
    template <class Archive>
    void travel(Archive& archive) {
        archive(meetings_, crossings_);
    }
    /// Reports violations and clears the collection for the next round.
    void judge(const Machine& machine, Round round, ViolationLog& log);

  private:
    struct Meeting {
        NodeId node;
        NodeId partner;
        auto operator<=>(const Meeting&) const = default;
    };
    /// A link is named by its lower end.
    struct Crossing {
        NodeId low;
        Port port;
        bool towards_low;
        NodeId sender;
        auto operator<=>(const Crossing&) const = default;
    };
    void judge_partners(Round round, ViolationLog& log);
    void judge_links(Round round, ViolationLog& log);

    std::vector<Meeting> meetings_;
    std::vector<Crossing> crossings_;
};

}  // namespace kport
