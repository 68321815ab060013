/// @file schedule.hpp   Recorded transfers: replayed, reversed in time, written and read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/base/huge_vector.hpp"
#include "emulator/schedule/transfer.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// Rounds in which nothing moves because a program lets them pass on purpose.
struct Silence {
    Round first = 0;
    std::uint64_t count = 0;

    bool operator==(const Silence&) const = default;
};
/// Adds `count` rounds from `first` on, which lies behind all others; what adjoins is one silence.
void append_silence(std::vector<Silence>& silences, Round first, std::uint64_t count);

/// The transfers of a run, round by round, and the rounds between them that programs let pass on purpose.
///
/// Callers   one task at a time writes; any number read.
/// Memory    48 bytes a transfer, and what its route and its packets take.
class Schedule {
  public:
    /// Adds a transfer. Throws RequestError where its round lies before that of the last one.
    void add(Round round, const Transfer& transfer);
    /// Takes the memory that the transfers of another schedule need.
    void reserve(const Schedule& other);
    /// Programs let `count` rounds pass from `first` on. Throws RequestError unless it lies behind all silences so far.
    void add_silent(Round first, std::uint64_t count);

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    /// The last round with a transfer; 0 if there is none.
    [[nodiscard]] Round rounds() const { return empty() ? 0 : entries_.back().round; }
    [[nodiscard]] Round round(std::size_t i) const { return entries_[i].round; }
    /// A view of the i-th transfer, valid until the schedule changes.
    [[nodiscard]] Transfer transfer(std::size_t i) const;
    /// In order, none of them next to another. Rounds behind the last transfer count for nothing.
    [[nodiscard]] const std::vector<Silence>& silences() const { return silences_; }
    /// The first round before the last that has no transfer and is not named as silent, which is illegal (model.md section
    /// 1); 0 if there is none.
    [[nodiscard]] Round first_gap() const;

    /// The same transfers in the same order, and the same silence.
    bool operator==(const Schedule&) const = default;

  private:
    struct Entry {
        Round round;
        std::uint32_t hops;
        std::uint32_t runs;
        NodeId from;
        NodeId to;
        std::uint64_t first_hop;
        std::uint64_t first_run;

        bool operator==(const Entry&) const = default;
    };
    HugeVector<Entry> entries_;
    HugeVector<Port> hops_;
    HugeVector<PacketBlock> runs_;
    std::vector<Silence> silences_;
};

/// Throws RequestError unless the schedule can be read as one of this topology: every node and port that it names is one
/// of the topology's labels, rounds count from 1, none is silent and has a transfer, and no route, no set of packets and no
/// block of one is empty. Whether it keeps the rules
/// is for an auditor to say: a label that a node at a border lacks is one of those. The message names the transfer by its
/// place: "transfers[0]" is the first.
void require_well_formed(const Schedule& schedule, const Topology& topology);

/// Time reversal (model.md section 1): every transfer turned round, along the opposite channels of its path, and the
/// order of rounds and of the transfers within them reversed; packets stay. Maps lawful schedules to lawful ones, a
/// broadcast to a reduction and a scatter to a gather.
///
/// Errors   RequestError where require_well_formed() throws it, and where a route uses a link that is not there or does
///          not end at the receiver: what was never a path cannot be turned round.
[[nodiscard]] Schedule reversed(const Schedule& schedule, const Topology& topology);

}  // namespace kport
