#include "emulator/schedule/operation.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {
namespace {

bool same_word(std::string_view a, std::string_view b) {
    const auto same_letter = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

/// Every name and alias of an operation: the names first, so that a suggestion is a name.
std::vector<std::string_view> all_words() {
    std::vector<std::string_view> words;
    for (const Operation& operation : operations()) words.push_back(operation->name);
    for (const Operation& operation : operations())
        if (!operation->alias.empty()) words.push_back(operation->alias);
    return words;
}

PacketSet one(NodeId packet) { return PacketSet::range(packet, packet + 1); }
PacketSet all(NodeId packets) { return PacketSet::range(0, packets); }

PacketBlock from_to(NodeId row, NodeId rows, NodeId column, NodeId columns) {
    return {static_cast<std::uint32_t>(column), 1, static_cast<std::uint32_t>(columns),
            static_cast<std::uint32_t>(row),    1, static_cast<std::uint32_t>(rows)};
}

PacketCounts single(const Collective&, NodeId) { return {1, 1}; }
PacketCounts one_a_node(const Collective&, NodeId nodes) { return {1, nodes}; }
PacketCounts one_a_pair(const Collective&, NodeId nodes) { return {nodes, nodes}; }
PacketCounts bytes_of_contents(const Collective&, NodeId) { return {1, contents_bytes_max}; }

PacketSet all_at_root(const Collective& c, NodeId v, NodeId nodes) { return v == c.root ? all(nodes) : PacketSet(); }
PacketSet packet_at_root(const Collective& c, NodeId v, NodeId) { return v == c.root ? one(0) : PacketSet(); }
PacketSet packet(const Collective&, NodeId, NodeId) { return one(0); }
PacketSet own(const Collective&, NodeId v, NodeId) { return one(v); }
PacketSet everything(const Collective&, NodeId, NodeId nodes) { return all(nodes); }
PacketSet up_to_own(const Collective&, NodeId v, NodeId) { return all(v + 1); }
PacketSet from_node(const Collective&, NodeId v, NodeId nodes) { return from_to(v, 1, 0, nodes); }
PacketSet to_node(const Collective&, NodeId v, NodeId nodes) { return from_to(0, nodes, v, 1); }
PacketSet nothing(const Collective&, NodeId, NodeId) { return {}; }

constexpr OperationRecord row_of_broadcast{
    .name = "broadcast",
    .alias = "OAB",
    .promise = "the packet of one node reaches every node",
    .noun = "the packet",
    .carries = Carries::one_packet,
    .rooted = Rooted::gives,
    .packets = single,
    .owned = packet_at_root,
    .wanted = packet,
};
constexpr OperationRecord row_of_scatter{
    .name = "scatter",
    .alias = "OAS",
    .promise = "one node gives every other node a packet of its own",
    .noun = "their packet",
    .rooted = Rooted::gives,
    .packets = one_a_node,
    .owned = all_at_root,
    .wanted = own,
};
constexpr OperationRecord row_of_gather{
    .name = "gather",
    .alias = "AOG",
    .promise = "one node collects a packet from every other node",
    .noun = "packet",
    .rooted = Rooted::takes,
    .packets = one_a_node,
    .owned = own,
    .wanted = all_at_root,
};
constexpr OperationRecord row_of_reduce{
    .name = "reduce",
    .alias = "AOR",
    .promise = "one node gets the combination of every node's contribution",
    .noun = "contribution",
    .carries = Carries::values,
    .rooted = Rooted::takes,
    .packets = one_a_node,
    .owned = own,
    .wanted = all_at_root,
};
constexpr OperationRecord row_of_allreduce{
    .name = "allreduce",
    .promise = "every node gets the combination of every node's contribution",
    .noun = "the result",
    .carries = Carries::values,
    .packets = one_a_node,
    .owned = own,
    .wanted = everything,
};
constexpr OperationRecord row_of_scan{
    .name = "scan",
    .promise = "node k gets the combination of the contributions of nodes 0 .. k, in order",
    .noun = "their prefix",
    .carries = Carries::values,
    .scans = true,
    .packets = one_a_node,
    .owned = own,
    .wanted = up_to_own,
};
constexpr OperationRecord row_of_allgather{
    .name = "allgather",
    .alias = "AAB",
    .promise = "every node's packet reaches every node",
    .noun = "all packets",
    .packets = one_a_node,
    .owned = own,
    .wanted = everything,
};
constexpr OperationRecord row_of_alltoall{
    .name = "alltoall",
    .alias = "AAS",
    .promise = "every node gives every other node a packet of its own",
    .noun = "the packets for them",
    .packets = one_a_pair,
    .owned = from_node,
    .wanted = to_node,
};
constexpr OperationRecord row_of_none{
    .name = "none",
    .promise = "nothing",
    .carries = Carries::contents,
    .packets = bytes_of_contents,
    .owned = nothing,
    .wanted = nothing,
};

}  // namespace

constinit const Operation Operation::broadcast{row_of_broadcast};
constinit const Operation Operation::scatter{row_of_scatter};
constinit const Operation Operation::gather{row_of_gather};
constinit const Operation Operation::reduce{row_of_reduce};
constinit const Operation Operation::allreduce{row_of_allreduce};
constinit const Operation Operation::scan{row_of_scan};
constinit const Operation Operation::allgather{row_of_allgather};
constinit const Operation Operation::alltoall{row_of_alltoall};
constinit const Operation Operation::none{row_of_none};

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all_rows = {Operation::broadcast, Operation::scatter,   Operation::gather,
                                                    Operation::reduce,    Operation::allreduce, Operation::scan,
                                                    Operation::allgather, Operation::alltoall};
    return all_rows;
}

Operation operation_named(std::string_view word) {
    for (const Operation& operation : operations())
        if (same_word(word, operation->name) || same_word(word, operation->alias)) return operation;
    const std::vector<std::string_view> words = all_words();
    throw RequestError(fmt::format("no operation is called {}{} (`kport list operations` shows all)", quoted(word),
                                   did_you_mean(word, words)));
}

}  // namespace kport
