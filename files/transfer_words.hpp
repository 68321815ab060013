/// @file transfer_words.hpp   Nodes, packets and routes of a transfer as people write them.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/schedule/packet_set.hpp"
#include "files/lines.hpp"
#include "files/told_schedule.hpp"

namespace kport {

/// Puts together a schedule of transfers that are written with nodes and packets (schedule_forms()): finds routes, and what a
/// transfer carries where that follows.
class ScheduleWriting {
  public:
    /// Takes what the context says; what it leaves open the file may say before its first transfer.
    ScheduleWriting(const Lines& lines, const ScheduleContext& context);

    /// A line "on hypercube:3" or "scatter from 0": reads it and says yes, if it is one and no transfer was there yet.
    [[nodiscard]] bool took_header(LineCursor& cursor);

    /// A node by number, as "(1,2)", or by name, in quotes where blanks or signs are in it.
    [[nodiscard]] NodeId node(LineCursor& cursor);
    /// A set: "4, 5, 8..14 step 2, 3>5, result", up to one of these letters.
    void read_packets(LineCursor& cursor, std::string_view ends);

    /// Begins a round, which may not lie before the last.
    void begin_round(std::size_t column, std::uint64_t round);
    /// The rounds first .. last have no transfer on purpose.
    void add_silent(std::size_t column, std::uint64_t first, std::uint64_t last);
    /// A transfer of this round by way of some nodes, with the packets that were read, or without any.
    void add(const LineCursor& cursor, NodeId from, NodeId to, const std::vector<NodeId>& via, bool has_packets);

    [[nodiscard]] Round round() const { return round_; }
    [[nodiscard]] ToldSchedule take();

    static constexpr std::uint64_t round_max = 0xFFFFFFFE;

  private:
    /// Needs a topology from here on.
    void settle();
    void require_later(std::size_t column, std::uint64_t round, std::uint64_t least) const;
    [[nodiscard]] PacketBlock block(LineCursor& cursor) const;
    void find_route(const LineCursor& cursor, NodeId from, NodeId to, const std::vector<NodeId>& via);
    void walk(const LineCursor& cursor, NodeId& at, NodeId to);
    /// What the transfer carries if it does not say it.
    void follow_packets(const LineCursor& cursor, NodeId from);
    void end_round();

    const Lines& lines_;
    const ScheduleContext& context_;
    ToldSchedule told_;
    std::string root_;  ///< as the file says it
    bool settled_ = false;
    Round round_ = 0;
    std::vector<Port> route_;
    std::vector<PacketBlock> packets_;
    /// Where everything goes to the root: what nodes hold besides their own, and what came to them in this round.
    std::unordered_map<NodeId, PacketSet> held_;
    std::vector<std::pair<NodeId, PacketSet>> came_;
};

/// The set as read_packets() reads it: "4..7, 12".
[[nodiscard]] std::string packets_in_words(std::span<const PacketBlock> packets, const ToldSchedule& told);
/// The nodes on the way of a transfer whose route is not the topology's own; nothing where it is.
[[nodiscard]] std::vector<NodeId> way_in_words(const Transfer& transfer, const Topology& topology);
/// "on hypercube:3" and "scatter from 0".
[[nodiscard]] std::vector<std::string> header_in_words(const ToldSchedule& told);

}  // namespace kport
