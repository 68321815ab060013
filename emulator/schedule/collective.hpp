/// @file collective.hpp   A collective: an operation with its root and the size and number of its packets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/schedule/counts.hpp"
#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/own_folds.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/permutation.hpp"
#include "emulator/topology/members.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The neighbours of every node, looked up once. Several links to one node count once.
///
/// Memory   4 bytes for each neighbour of each node, and 8 a node.
/// Errors   DoesNotFit for more than 2^28 neighbours in all; RequestError where hosts are joined by switches.
class Neighbourhood {
  public:
    explicit Neighbourhood(const Topology& topology);

    /// Returns the neighbours of v in ascending order.
    [[nodiscard]] std::span<const std::uint32_t> of(NodeId v) const {
        return std::span(all_).subspan(first_[v], first_[v + 1] - first_[v]);
    }
    [[nodiscard]] NodeId nodes() const { return first_.size() - 1; }
    /// Returns the most neighbours that a node has.
    [[nodiscard]] std::uint64_t largest() const { return largest_; }
    /// Returns the number of pairs (v, neighbour of v).
    [[nodiscard]] std::uint64_t pairs() const { return all_.size(); }

  private:
    std::vector<std::uint64_t> first_{0};  ///< by node, in all_
    std::vector<std::uint32_t> all_;
    std::uint64_t largest_ = 0;
};

/// A user-defined collective: packets 0 to packets - 1, each owned by one node or several; or contributions of nodes to so many segments,
/// and folds of them.
struct OwnCollective {
    std::string name = {};                        ///< in reports: "shift"
    std::uint64_t packets = 1;                    ///< how many, at most own_packets_max; of folds the segments
    std::function<PacketSet(NodeId)> owned = {};  ///< which packets a node has at the start
    std::function<PacketSet(NodeId)> wanted =
        {};  ///< which it must hold at the end, its own included if it must keep them
    std::uint64_t packet_bytes = 64;
    std::string noun = "their packets";     ///< what the report says that nodes hold
    std::vector<std::uint32_t> bytes = {};  ///< of each packet, where they differ in size; empty: all have packet_bytes
    std::function<bool(NodeId)> passes_on =
        {};                  ///< whether a node that owns and wants nothing may send and receive; null: all may
    std::string title = {};  ///< what its file calls it; empty: it is from no file
    std::string file = {};
    /// Then packets are contributions, a row a segment and a column a node: `owned` are those that a node gives, in its own column, and
    /// `wanted` follows from the folds that it takes. Null: packets, which are copied.
    std::shared_ptr<const OwnFolds> folds = nullptr;
};
/// Packets of a row have 32-bit numbers.
inline constexpr std::uint64_t own_packets_max = 0xFFFFFFFE;

/// What a run must achieve: which packets exist and how large they are, which node owns which at the start, and which
/// node must hold which at the end. The operation's record answers these questions (OperationRecord).
struct Collective {
    Operation operation = Operation::broadcast;
    NodeId root = 0;                  ///< or source; ignored where the operation has none
    std::uint64_t packet_bytes = 64;  ///< where packets differ in size, of the largest (Counts::bytes())
    Rules rules = {};                 ///< enforced for reductions, too, unless their operator is idempotent
    /// M, `--packets`. Packets of a broadcast's source; of each node (scatter, gather, allgather, permutation); of each
    /// pair (alltoall). In reductions, segments of the vector that each node contributes, in a reduce-scatter of each
    /// of its N blocks: a contribution is a node's to one segment, and each segment is reduced by itself. PacketBlock
    /// says how packets are numbered.
    std::uint64_t packets_each = 1;
    /// Where nodes, or pairs, have different numbers of packets; M is then the largest (counting()). Null: all have M.
    std::shared_ptr<const Counts> counts = nullptr;
    /// The nodes of a broadcast from several, each with M packets of its own: an allgather with counts M at these nodes, 0 elsewhere.
    /// Only words ask for them. Null: none.
    std::shared_ptr<const std::vector<NodeId>> sources = nullptr;
    /// The nodes that own, want and contribute, by rank, where others only pass on what comes: among_relays(). Null: all nodes. Where
    /// members are alone, the machine consists of them (machine_of_members()), and this is null.
    std::shared_ptr<const RankedNodes> members = nullptr;
    /// Disjoint groups of nodes, of which each has the operation of its own, all at once: run_algorithm() runs them, and the engines
    /// know none. The root is that of its group; other groups begin at their first node. Null: no groups.
    std::shared_ptr<const std::vector<RankedNodes>> groups = nullptr;
    /// Reductions: whether a partial result must be of consecutive nodes, because the operator does not commute or the
    /// algorithm needs the runs apart. A node, and a message, then has one value for each run of consecutive nodes in a
    /// segment: values of several runs are not combined.
    bool in_runs = false;
    /// In runs of one contribution each: nothing is folded before a node gives its result, which it folds from left to right. Then
    /// in_runs is true too.
    bool unfolded = false;
    Permutation permutation = {};                               ///< used by the operation permutation
    std::shared_ptr<const Neighbourhood> neighbours = nullptr;  ///< used by operations among neighbours (fitted())

    /// A collective of a built-in operation; signals of a barrier have no bytes.
    [[nodiscard]] static Collective of(const Operation& operation, NodeId root, std::uint64_t packet_bytes) {
        return operation.signals() ? Collective{operation, 0, 0} : Collective{operation, root, packet_bytes};
    }
    [[nodiscard]] static Collective broadcast(NodeId source, std::uint64_t packet_bytes) {
        return {Operation::broadcast, source, packet_bytes};
    }
    [[nodiscard]] static Collective scatter(NodeId source, std::uint64_t packet_bytes) {
        return {Operation::scatter, source, packet_bytes};
    }
    [[nodiscard]] static Collective gather(NodeId root, std::uint64_t packet_bytes) {
        return {Operation::gather, root, packet_bytes};
    }
    [[nodiscard]] static Collective reduce(NodeId root, std::uint64_t packet_bytes) {
        return {Operation::reduce, root, packet_bytes};
    }
    [[nodiscard]] static Collective allreduce(std::uint64_t packet_bytes) {
        return {Operation::allreduce, 0, packet_bytes};
    }
    [[nodiscard]] static Collective scan(std::uint64_t packet_bytes) { return {Operation::scan, 0, packet_bytes}; }
    [[nodiscard]] static Collective allgather(std::uint64_t packet_bytes) {
        return {Operation::allgather, 0, packet_bytes};
    }
    [[nodiscard]] static Collective alltoall(std::uint64_t packet_bytes) {
        return {Operation::alltoall, 0, packet_bytes};
    }
    [[nodiscard]] static Collective reduce_scatter(std::uint64_t packet_bytes) {
        return {Operation::reduce_scatter, 0, packet_bytes};
    }
    [[nodiscard]] static Collective barrier() { return of(Operation::barrier, 0, 0); }
    [[nodiscard]] static Collective permuted(const Permutation& permutation, std::uint64_t packet_bytes) {
        Collective collective{Operation::permutation, 0, packet_bytes};
        collective.permutation = permutation;
        return collective;
    }
    /// Promises nothing: for programs of any kind, whose messages have contents (Data). Packets are then bytes:
    /// contents of n bytes are the packets 0 to n - 1 of one byte each (contents_packets()). Ports, channels, routes
    /// and policy are judged; holding, NODUP, NOHO, combining and delivery do not apply.
    [[nodiscard]] static Collective none() { return {Operation::none, 0, 1}; }
    /// A user-defined collective: `owned` and `wanted` are called from several threads at once, and must always return
    /// the same. Throws RequestError where one of them is missing, and for no packets or too many.
    [[nodiscard]] static Collective custom(OwnCollective own);

    /// Returns the name by which it is asked for.
    [[nodiscard]] std::string_view asked_name() const {
        return sources == nullptr ? operation->name : Operation::broadcast->name;
    }
    [[nodiscard]] bool folds() const { return operation.folds(); }
    [[nodiscard]] bool rooted() const { return operation.rooted(); }
    [[nodiscard]] bool inwards() const { return operation.inwards(); }
    [[nodiscard]] bool promises() const { return operation.promises(); }
    [[nodiscard]] bool signals() const { return operation.signals(); }
    /// Whether NODUP and NOHO are enforced, so that no packet comes to a node twice. They never apply to signals.
    [[nodiscard]] bool comes_once() const { return rules.all_law() && !signals(); }
    [[nodiscard]] bool is_own() const { return operation.is_own(); }
    /// Whether packets differ in size.
    [[nodiscard]] bool has_sizes() const { return counts != nullptr && counts->bytes() != nullptr; }
    /// What its user says of a collective of his own; null: it is none.
    [[nodiscard]] const OwnCollective* own() const;
    /// The folds that its user promises; null: it is no such collective.
    [[nodiscard]] const OwnFolds* own_folds() const;
    /// Whether each node takes a prefix of the contributions, in the order of the nodes: scan, exscan.
    [[nodiscard]] bool scans() const { return operation->prefix != Prefix::no; }
    /// Whether the prefix of a node leaves out its own contribution.
    [[nodiscard]] bool is_exclusive() const { return operation->prefix == Prefix::before_own; }
    /// Scans: the number of contributions in the result of node v, those of nodes 0, 1, ...
    [[nodiscard]] NodeId prefix_size(NodeId v) const { return is_exclusive() ? v : v + 1; }
    /// Whether packet 0 is the only packet, and every node gets it: one bit a node says which nodes hold it.
    [[nodiscard]] bool one_packet() const { return operation->carries == Carries::copies && packets_each == 1; }
    /// Reductions: the number of segments of the vector that each of N nodes contributes; else 1.
    [[nodiscard]] std::uint64_t segments(NodeId nodes) const {
        return folds() ? operation->packets(*this, nodes).rows : 1;
    }

    /// Whether node v takes part, and does not only pass on what comes.
    [[nodiscard]] bool has_member(NodeId v) const { return members == nullptr || members->has(v); }
    /// Whether node v may send and receive: all may, unless their user says that those who own and want nothing pass nothing on.
    [[nodiscard]] bool may_pass_on(NodeId v, NodeId nodes) const;
    /// Returns the number of nodes that take part.
    [[nodiscard]] NodeId member_count(NodeId nodes) const { return members == nullptr ? nodes : members->count(); }
    /// Returns what node v of N owns at the start.
    [[nodiscard]] PacketSet owned(NodeId v, NodeId nodes) const {
        return has_member(v) ? existing(operation->owned(*this, v, nodes)) : PacketSet();
    }
    /// Returns what it must hold at the end, its own packets included.
    [[nodiscard]] PacketSet wanted(NodeId v, NodeId nodes) const {
        return has_member(v) ? existing(operation->wanted(*this, v, nodes)) : PacketSet();
    }
    /// Returns those of some packets that there are, where counts differ or nodes only pass packets on.
    [[nodiscard]] PacketSet existing(PacketSet packets) const {
        // Numbers of nodes, or of pairs, are 0 for others than members; those of blocks say nothing of who contributes to them.
        const bool tell_members = counts != nullptr && counts->counted_for() != CountedFor::blocks;
        if (counts != nullptr) packets = counts->existing(packets.blocks());
        return members == nullptr || tell_members ? packets : of_members(packets);
    }
    /// Whether node v ends with a result. Reductions only.
    [[nodiscard]] bool gives_result(NodeId v) const {
        if (is_own()) [[unlikely]]
            return own_folds() != nullptr && own_folds()->takes(v);
        return inwards() ? v == root : has_member(v) && (!is_exclusive() || v > 0);
    }
    /// Reductions: returns the contributions that a segment's result, as a packet of its own, is made of, in row 0. Empty where there is
    /// no such packet, since nodes take different folds of the segment (OwnFolds).
    [[nodiscard]] PacketSet in_result(std::uint32_t segment, NodeId nodes) const;
    /// in_result() of the segments (the rows) of some packets.
    [[nodiscard]] PacketSet in_results(std::span<const PacketBlock> packets, NodeId nodes) const;
    /// Returns the end of the packets' numbers, of which all are packets unless counts differ. For contents: the bytes of the largest
    /// message.
    [[nodiscard]] std::uint64_t packets(NodeId nodes) const {
        const PacketCounts all = operation->packets(*this, nodes);
        return all.rows * all.columns;
    }

  private:
    [[nodiscard]] PacketSet of_members(const PacketSet& packets) const;
};

/// Returns the largest M that N nodes may have: rows and columns of their packets have 32-bit numbers.
[[nodiscard]] std::uint64_t packets_each_max(const Collective& collective, NodeId nodes);
/// Returns the collective with so many packets of each node or pair; null: with one of each.
[[nodiscard]] Collective counting(Collective collective, std::shared_ptr<const Counts> counts);
/// Returns a broadcast of the collective's packets from several nodes at once. Throws RequestError where they are too many to count.
[[nodiscard]] Collective broadcast_from(Collective collective, std::vector<NodeId> sources, NodeId nodes);
/// Returns the collective among some nodes of N, by rank, where others may pass on what comes, and fold it. Its counts, if any, are those of
/// members. Throws RequestError for operations that have no such form, and for a root that is no member.
[[nodiscard]] Collective among_relays(Collective collective, std::vector<NodeId> members, NodeId nodes);
/// Returns the collective in which all have as many packets as those that have most.
[[nodiscard]] Collective with_equal_counts(Collective collective);
/// Returns the operation `forward` with the packets of `collective`, which it moves with the roles of time exchanged: numbers of blocks
/// become those of nodes. A collective of one's own stays as it is.
[[nodiscard]] Collective moved_forward(Collective collective, const Operation& forward);
/// Returns the collective with what its operation needs to know of the graph (OperationRecord::fit): the side of a permutation's
/// dimension, who are neighbours. Throws RequestError where the graph has no such operation. O(links) for operations among neighbours.
[[nodiscard]] Collective fitted(Collective collective, const Topology& topology);
/// Throws RequestError for a root that is no node, for no packets or more than can be numbered, and where a
/// user-defined collective names packets that it does not have. O(1) for built-in operations, O(N) for user-defined
/// ones.
void require_valid(const Collective& collective, const Topology& topology);
/// Throws RequestError where messages have contents: a schedule records their size but not their bytes.
void require_packets(const Collective& collective);

}  // namespace kport
