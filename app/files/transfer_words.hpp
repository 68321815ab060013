/// @file transfer_words.hpp   Nodes, packets and routes of a transfer as people write them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/files/lines.hpp"
#include "app/files/told_schedule.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// What nodes hold where transfers do not say what they carry: a packet that all get, or all that came to the sender; of a barrier
/// which nodes it has heard of. Where nothing is promised, a message.
class HeldByAll {
  public:
    /// `all_held`: ScheduleContext::all_held.
    HeldByAll(const Collective& collective, NodeId nodes, bool all_held)
        : collective_(collective), nodes_(nodes), sends_all_(collective.inwards() || collective.signals() || all_held) {
    }

    /// Whether what a transfer carries follows from this.
    [[nodiscard]] bool follows() const { return sends_all_ || collective_.one_packet() || !collective_.promises(); }
    /// What v sends in this round, if follows(): of an allreduce the result, if it has all contributions.
    [[nodiscard]] PacketSet all_of(NodeId v) const;
    void came(NodeId v, std::span<const PacketBlock> packets);
    /// What came in the round is held in the next.
    void end_round();

  private:
    Collective collective_;
    NodeId nodes_;
    bool sends_all_;
    std::unordered_map<NodeId, PacketSet> held_;  ///< besides their own
    std::vector<std::pair<NodeId, PacketSet>> came_;
};

/// What a node sends that holds this and sends all: of an allreduce the result, if it has that, or all contributions.
[[nodiscard]] PacketSet result_or(PacketSet held, const Collective& collective, NodeId nodes);

/// Why ScheduleContext::all_held is refused of an operation that may not carry all.
[[nodiscard]] std::string no_all_held_of(const Operation& operation);

/// A set: "4, 5, 8..14 step 2, 3>5, result", up to one of these letters or the end. Throws RequestError.
[[nodiscard]] PacketBlocks read_packets(LineCursor& cursor, std::string_view ends, const ToldSchedule& told);

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
    /// Refuses a second line of the file that says the same thing.
    static void require_first(const LineCursor& cursor, bool& is_there, std::string_view what);
    void require_later(std::size_t column, std::uint64_t round, std::uint64_t least) const;
    void find_route(const LineCursor& cursor, NodeId from, NodeId to, const std::vector<NodeId>& via);
    void walk(const LineCursor& cursor, NodeId& at, NodeId to);

    const Lines& lines_;
    const ScheduleContext& context_;
    ToldSchedule told_;
    std::string root_;  ///< as the file says it
    std::uint64_t root_line_ = 0;
    std::size_t root_column_ = 0;
    bool is_named_ = false;      ///< what the schedule does
    bool has_topology_ = false;  ///< a line of the file said it
    bool has_operation_ = false;
    bool has_packets_ = false;
    bool settled_ = false;
    Round round_ = 0;
    std::vector<Port> route_;
    PacketBlocks packets_;
    std::optional<HeldByAll> held_;
};

/// The set as read_packets() reads it: "4..7, 12".
[[nodiscard]] std::string packets_in_words(std::span<const PacketBlock> packets, const ToldSchedule& told);
/// The nodes on the way of a transfer whose route is not the topology's own; nothing where it is.
[[nodiscard]] std::vector<NodeId> way_in_words(const Transfer& transfer, const Topology& topology);
/// "on hypercube:3", "scatter from 0", and "packets 4" where there are several of each.
[[nodiscard]] std::vector<std::string> header_in_words(const ToldSchedule& told);

}  // namespace kport
