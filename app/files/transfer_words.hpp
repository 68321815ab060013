/// @file transfer_words.hpp   Nodes, lists of them, packets and routes of a transfer as people write them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/files/lines.hpp"
#include "app/files/told_schedule.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// What nodes hold, for transfers that do not give what they carry: a packet that all get, or all that came to the
/// sender; in a barrier the nodes heard of. Where nothing is promised, a message.
class HeldByAll {
  public:
    /// `all_held`: ScheduleContext::all_held.
    HeldByAll(const Collective& collective, NodeId nodes, bool all_held)
        : collective_(collective), nodes_(nodes), sends_all_(collective.inwards() || collective.signals() || all_held) {
    }

    /// Whether the contents of transfers follow from it.
    [[nodiscard]] bool follows() const { return sends_all_ || collective_.one_packet() || !collective_.promises(); }
    /// Returns what v sends in this round, if follows(): in an allreduce the result, if it has all contributions.
    [[nodiscard]] PacketSet all_of(NodeId v) const;
    void came(NodeId v, std::span<const PacketBlock> packets);
    /// Makes what came in the round available in the next.
    void end_round();

  private:
    Collective collective_;
    NodeId nodes_;
    bool sends_all_;
    std::unordered_map<NodeId, PacketSet> held_;  ///< besides their own
    std::vector<std::pair<NodeId, PacketSet>> came_;
};

/// Returns what a node sends that holds this and sends all: in an allreduce the result, if it has that, or all
/// contributions.
[[nodiscard]] PacketSet result_or(PacketSet held, const Collective& collective, NodeId nodes);

/// Returns why ScheduleContext::all_held is refused for an operation.
[[nodiscard]] std::string no_all_held_of(const Operation& operation);

/// Reads a set: "4, 5, 8..14 step 2, 3>5, result", up to one of these letters or the end. Throws RequestError.
[[nodiscard]] PacketBlocks read_packets(LineCursor& cursor, std::string_view ends, const ToldSchedule& told);

/// The name in double quotes at the cursor; a doubled quote is part of it.
[[nodiscard]] std::string quoted_name(LineCursor& cursor);
/// The text in double quotes, as quoted_name() reads it.
[[nodiscard]] std::string in_double_quotes(std::string_view text);
/// A node as schedules say it: bare digits are its number, double quotes hold its name, brackets coordinates; another word is a name.
/// Throws RequestError.
[[nodiscard]] NodeId node_said(const Topology& topology, std::string_view word);

/// Nodes as text schedules write them: names in double quotes where a graph file has names, else numbers.
class NodeWords {
  public:
    explicit NodeWords(const Topology& topology);
    [[nodiscard]] bool has_names() const { return has_names_; }
    [[nodiscard]] std::string operator()(NodeId node) const;

  private:
    const Topology& topology_;
    bool has_names_;
};

/// Puts together a schedule of transfers that are written with nodes and packets (schedule_forms()): finds routes, and what a
/// transfer carries where that follows.
class ScheduleWriting {
  public:
    /// Takes over the context; the file may give the rest before its first transfer.
    ScheduleWriting(const Lines& lines, const ScheduleContext& context);

    /// Reads a line "on hypercube:3" or "scatter from 0". Returns false if it is none, or comes after the first
    /// transfer.
    [[nodiscard]] bool took_header(LineCursor& cursor);

    /// A node by number, as "(1,2)", or by name, in double quotes where blanks or signs are in it or it is a number.
    [[nodiscard]] NodeId node(LineCursor& cursor);
    /// A node as node_said() reads it, which stands in this column.
    [[nodiscard]] NodeId node(std::string_view word, std::size_t column);
    void read_packets(LineCursor& cursor, std::string_view ends);

    /// Begins a round. Throws RequestError if it is before the last.
    void begin_round(std::size_t column, std::uint64_t round);
    /// Declares the rounds first .. last silent.
    void add_silent(std::size_t column, std::uint64_t first, std::uint64_t last);
    /// Adds a transfer of this round via some nodes, with the packets read, or without any.
    void add(const LineCursor& cursor, NodeId from, NodeId to, const std::vector<NodeId>& via, bool has_packets);

    [[nodiscard]] Round round() const { return round_; }
    [[nodiscard]] ToldSchedule take();

    static constexpr std::uint64_t round_max = 0xFFFFFFFE;

  private:
    /// Requires a topology from here on.
    void settle();
    /// Refuses a second line of the file of the same kind.
    static void require_first(const LineCursor& cursor, bool& is_there, std::string_view what);
    void require_later(std::size_t column, std::uint64_t round, std::uint64_t least) const;
    void find_route(const LineCursor& cursor, NodeId from, NodeId to, const std::vector<NodeId>& via);
    void walk(const LineCursor& cursor, NodeId& at, NodeId to);
    [[nodiscard]] bool takes_fixed_route(NodeId from, NodeId to) const;

    const Lines& lines_;
    const ScheduleContext& context_;
    ToldSchedule told_;
    std::string root_;  ///< as in the file
    std::uint64_t root_line_ = 0;
    std::size_t root_column_ = 0;
    bool is_named_ = false;      ///< the file says what the schedule does
    bool has_topology_ = false;  ///< a line of the file gave it
    bool has_options_ = false;
    bool has_operation_ = false;
    bool has_packets_ = false;
    bool has_counts_ = false;
    ToldCounts counts_;
    bool has_members_ = false;
    std::string members_;
    bool settled_ = false;
    Round round_ = 0;
    std::vector<Port> route_;
    PacketBlocks packets_;
    std::optional<HeldByAll> held_;
};

/// Returns the set in the form of read_packets(): "4..7, 12".
[[nodiscard]] std::string packets_in_words(std::span<const PacketBlock> packets, const ToldSchedule& told);
/// Returns the nodes on the path of a transfer whose route is not the topology's; nothing if it is.
[[nodiscard]] std::vector<NodeId> way_in_words(const Transfer& transfer, const Topology& topology);
/// The word before the options of a schedule (ToldSchedule::options).
inline constexpr std::string_view word_of_options = "with";
inline constexpr std::string_view sign_of_options = "--";  ///< behind the word: other text is none
/// Returns what stands behind that word, without blanks around it.
[[nodiscard]] std::string trimmed_options(std::string_view rest);
/// "on hypercube:3", with `words` also "with --ports 2", "scatter from 0", and "packets 4" where there are several of each; the root by its number, or as `words` say.
[[nodiscard]] std::vector<std::string> header_in_words(const ToldSchedule& told, const NodeWords* words = nullptr);

/// The most nodes that a list of nodes may name, such as "0-1048575".
inline constexpr NodeId nodes_listed_max = NodeId{1} << 20;

/// Whether the word names one node.
[[nodiscard]] bool names_one(std::string_view word, const Topology& topology);

/// Returns the parts of a list: between semicolons where there are some, which names and coordinates with commas need; else commas.
[[nodiscard]] std::vector<std::string_view> apart(std::string_view list);

/// Returns the nodes of a list "0,3,5-9", "1,2;3,4", each once, in this order. `what` begins the messages: "--members". Throws
/// RequestError.
[[nodiscard]] std::vector<NodeId> nodes_named(std::string_view text, const Topology& topology, std::string_view what);

/// Returns a list that nodes_named() reads as these nodes of the topology, whatever they are called.
[[nodiscard]] std::string list_in_words(const std::vector<NodeId>& nodes, const Topology& topology);

}  // namespace kport
