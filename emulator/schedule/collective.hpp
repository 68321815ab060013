/// @file collective.hpp   A collective: an operation from or to a root, with packets of so many bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/permutation.hpp"
#include "emulator/schedule/rules.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// A collective of a user's own: packets 0 to packets - 1, each owned by one node or several.
struct OwnCollective {
    std::string name = {};                        ///< in reports: "shift"
    std::uint64_t packets = 1;                    ///< how many, at most own_packets_max
    std::function<PacketSet(NodeId)> owned = {};  ///< which packets a node has at the start
    std::function<PacketSet(NodeId)> wanted =
        {};  ///< which it must hold at the end, its own included if it must keep them
    std::uint64_t packet_bytes = 64;
    std::string noun = "their packets";  ///< what the report says that nodes hold
};
/// Packets of a row have numbers of 32 bits.
inline constexpr std::uint64_t own_packets_max = 0xFFFFFFFE;

/// What is to be done: which packets there are and how large, who owns which at the start, and who must hold which at the
/// end. The questions are the record's (OperationRecord).
struct Collective {
    Operation operation = Operation::broadcast;
    NodeId root = 0;  ///< or source; ignored where the operation has none
    std::uint64_t packet_bytes = 64;
    Rules rules = {};  ///< of a reduction all are law, unless its operator is idempotent
    /// M, `--packets`: packets of a broadcast's source, of each node (scatter, gather, allgather, permutation), of each pair
    /// (alltoall); segments of the vector that each node contributes to what folds, of a reduce-scatter of each of its N
    /// blocks, where a contribution is a node's to one segment, and segments are folded each by itself. PacketBlock says how
    /// they are numbered.
    std::uint64_t packets_each = 1;
    /// Of a reduction: a partial result is of consecutive nodes, because its operator does not commute or because its algorithm
    /// needs them apart. What a node holds of a segment is one for each run of them, and so is what a message carries: as many
    /// packets, which nothing has folded into one.
    bool in_runs = false;
    Permutation permutation = {};  ///< of a permutation

    /// Of an operation as it is: a barrier's signals have no bytes.
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
    /// Nothing is promised: programs of any kind, whose messages have contents (Data). Packets are bytes then: contents of n
    /// bytes are the packets 0 to n - 1 of one byte each (contents_packets()), which stand for no others elsewhere. Ports,
    /// channels, routes and policy are judged; holding, NODUP, NOHO, combining and what is to arrive have no subject.
    [[nodiscard]] static Collective none() { return {Operation::none, 0, 1}; }
    /// One's own: `owned` and `wanted` are called from several threads at once, and must always say the same. Throws
    /// RequestError where one of them is missing, or for no packets or too many.
    [[nodiscard]] static Collective custom(OwnCollective own);

    [[nodiscard]] bool folds() const { return operation.folds(); }
    [[nodiscard]] bool rooted() const { return operation.rooted(); }
    [[nodiscard]] bool inwards() const { return operation.inwards(); }
    [[nodiscard]] bool promises() const { return operation.promises(); }
    [[nodiscard]] bool signals() const { return operation.signals(); }
    /// Whether NODUP and NOHO are law, so that no packet comes to a node twice. Of signals they are void, whatever the rules say.
    [[nodiscard]] bool comes_once() const { return rules.all_law() && !signals(); }
    [[nodiscard]] bool is_own() const { return operation.is_own(); }
    [[nodiscard]] bool scans() const { return operation->scans; }
    /// Whether it is packet 0 alone, which every node gets: a bit says who has it.
    [[nodiscard]] bool one_packet() const { return operation->carries == Carries::copies && packets_each == 1; }
    /// Of what folds: how many there are of the vector that each node of N contributes; of what does not, 1.
    [[nodiscard]] std::uint64_t segments(NodeId nodes) const {
        return folds() ? operation->packets(*this, nodes).rows : 1;
    }

    /// What node v of N owns at the start.
    [[nodiscard]] PacketSet owned(NodeId v, NodeId nodes) const { return operation->owned(*this, v, nodes); }
    /// What it must hold at the end, its own packets included.
    [[nodiscard]] PacketSet wanted(NodeId v, NodeId nodes) const { return operation->wanted(*this, v, nodes); }
    /// Whether node v ends with a result (of what folds).
    [[nodiscard]] bool gives_result(NodeId v) const { return !inwards() || v == root; }
    /// How many packets there are: their numbers end below. Of contents: the bytes of the largest message.
    [[nodiscard]] std::uint64_t packets(NodeId nodes) const {
        const PacketCounts counts = operation->packets(*this, nodes);
        return counts.rows * counts.columns;
    }
};

/// The largest M that N nodes may have: all rows and columns of their packets have numbers of 32 bits.
[[nodiscard]] std::uint64_t packets_each_max(const Collective& collective, NodeId nodes);
/// Throws RequestError for a root that is no node, for no packets or more than can be numbered, and where a collective of a
/// user's own names packets that it has not.
/// O(1) for the table's, O(N) for one's own.
void require_valid(const Collective& collective, const Topology& topology);
/// Throws RequestError where messages have contents: a schedule says how many bytes they have, and not which.
void require_packets(const Collective& collective);

}  // namespace kport
