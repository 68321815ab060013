/// @file schedule.hpp   Recorded transfers: replayed, reversed in time, written and read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
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
/// Appends `count` rounds from `first` on, which must be after all others; adjacent ones are merged.
void append_silence(std::vector<Silence>& silences, Round first, std::uint64_t count);

/// The transfers of a run, round by round, and the silent rounds between them that programs let pass on purpose.
///
/// Callers   one task at a time writes; any number read.
/// Memory    48 bytes a transfer, and its route and packets.
class Schedule {
  public:
    /// Adds a transfer. Throws RequestError where its round is before that of the last one.
    void add(Round round, const Transfer& transfer);
    /// Reserves the memory that the transfers of another schedule need.
    void reserve(const Schedule& other);
    /// Adds `count` silent rounds from `first` on. Throws RequestError unless `first` is after all silences so far.
    void add_silent(Round first, std::uint64_t count);

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    /// Returns the last round with a transfer; 0 if there is none.
    [[nodiscard]] Round rounds() const { return empty() ? 0 : entries_.back().round; }
    [[nodiscard]] Round round(std::size_t i) const { return entries_[i].round; }
    /// Returns a view of the i-th transfer, valid until the schedule changes.
    [[nodiscard]] Transfer transfer(std::size_t i) const;
    /// Silent rounds in order, never adjacent. Those after the last transfer do not count.
    [[nodiscard]] const std::vector<Silence>& silences() const { return silences_; }
    /// Returns the first round before the last that has no transfer and is not declared silent, which is illegal
    /// (model.md section 1); 0 if there is none.
    [[nodiscard]] Round first_gap() const;

    /// Whether both have equal transfers in equal order, and equal silences.
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

/// Throws RequestError unless every node and port is a label of the topology, rounds count from 1, no silent round has
/// a transfer, and no route, set of packets or block is empty. Whether the schedule keeps the rules is for an auditor
/// to decide, including the use of ports that a border node lacks. The message names the transfer by index:
/// "transfers[0]" is the first.
void require_well_formed(const Schedule& schedule, const Topology& topology);

/// Returns the schedule reversed in time (model.md section 1): every transfer goes along the opposite channels of its
/// path, and the order of rounds and of the transfers within them is reversed; packets stay. Maps lawful schedules to
/// lawful ones, a broadcast to a reduction and a scatter to a gather.
///
/// Errors   as require_well_formed(); RequestError where a route uses a link that does not exist or does not end at the
///          receiver.
[[nodiscard]] Schedule reversed(const Schedule& schedule, const Topology& topology);

/// The routes that the messages of a schedule take. Another run of the same messages in the same rounds finds them here.
///
/// Callers   any thread.
/// Cost      O(log messages) a search; memory as the schedule, and some 80 bytes a message.
class RouteBook {
  public:
    /// Of several messages of one round between the same two nodes it knows the first.
    explicit RouteBook(Schedule messages);

    /// Returns the ports of the route; none for a message that is not in the book.
    [[nodiscard]] std::span<const Port> route(Round round, NodeId from, NodeId to) const;

  private:
    Schedule messages_;
    std::map<std::tuple<Round, NodeId, NodeId>, std::size_t> found_;
};

}  // namespace kport
