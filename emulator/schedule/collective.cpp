#include "emulator/schedule/collective.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

/// A user-defined record, which owns what its row refers to.
struct OwnRecord : OperationRecord {
    explicit OwnRecord(OwnCollective the_own) : own(std::move(the_own)) {
        name = own.name;
        promise = "a collective of one's own";
        noun = own.noun;
        user_defined = true;
        if (own.folds != nullptr) carries = Carries::values;
        packets = [](const Collective& collective, NodeId nodes) {
            const OwnCollective& said = of(collective);
            return said.folds == nullptr ? PacketCounts{1, said.packets} : PacketCounts{said.packets, nodes};
        };
        owned = [](const Collective& collective, NodeId v, NodeId) { return of(collective).owned(v); };
        wanted = [](const Collective& collective, NodeId v, NodeId) { return of(collective).wanted(v); };
    }
    OwnRecord(const OwnRecord&) = delete;
    OwnRecord& operator=(const OwnRecord&) = delete;
    ~OwnRecord() = default;

    static const OwnCollective& of(const Collective& collective) {
        return static_cast<const OwnRecord*>(collective.operation.operator->())->own;
    }

    OwnCollective own;
};

void require_counts(const Collective& collective, NodeId nodes) {
    const Counts& counts = *collective.counts;
    if (collective.is_own()) return;  // they are those of custom()
    const bool fits = counts.counted_for() == collective.operation->counted_for && counts.nodes() == nodes &&
                      collective.packets_each == counts.packets_each();
    if (counts.counted_for() == CountedFor::nothing || !fits)
        throw RequestError(fmt::format("counts: they are not those of {} on {}; want counting() with numbers for it",
                                       name(collective.operation), counted(nodes, "node")));
}

void require_numbers(const Collective& collective, NodeId nodes) {
    if (collective.counts != nullptr) require_counts(collective, nodes);
    const std::uint64_t m = collective.packets_each;
    if (m != 1 && collective.signals())
        throw RequestError(
            fmt::format("packets_each {}: a {} has no packets; leave it out", m, name(collective.operation)));
    if (m != 1 && (collective.is_own() || !collective.promises()))
        throw RequestError(
            fmt::format("packets_each {}: {} counts its packets itself; want 1", m, name(collective.operation)));
    const std::uint64_t most = packets_each_max(collective, nodes);
    if (most == 0)
        throw RequestError(
            fmt::format("{}: the packets of all {} nodes together have numbers of 32 bits; want fewer nodes",
                        name(collective.operation), nodes));
    if (m == 0 || m > most)
        throw RequestError(fmt::format(
            "packets_each {}: want 1 to {}{}", m, most,
            most < own_packets_max ? fmt::format("; those of all {} nodes together have numbers of 32 bits", nodes)
                                   : std::string()));
}

/// Of folds: nodes give contributions of their own, and what is taken is given.
void require_given(const Collective& collective, NodeId nodes) {
    std::map<std::uint32_t, PacketSet> given;  // by segment
    for (NodeId v = 0; v < nodes; ++v) {
        const PacketSet own = collective.owned(v, nodes);
        for (const PacketBlock& block : own.blocks()) {
            if (block.count != 1 || block.first != v)
                throw RequestError(fmt::format("{}: node {} gives contributions of others; want its own, in column {}",
                                               name(collective.operation), v, v));
            for (std::uint32_t i = 0; i < block.rows; ++i)
                given[block.all_rows()[i]].add(PacketBlock{static_cast<std::uint32_t>(v)});
        }
    }
    for (const TakenFold& fold : collective.own_folds()->all()) {
        const PacketBlocks missing = without(fold.of.blocks(), given[fold.segment]);
        if (fold.node < nodes && !fold.of.empty() && missing.empty()) continue;
        throw RequestError(fold.node >= nodes || fold.of.empty()
                               ? fmt::format("{}: node {} takes a fold of {} contributions; want a node and at least 1",
                                             name(collective.operation), fold.node, fold.of.size())
                               : fmt::format("{}: node {} takes segment {} of node {}, which does not give it",
                                             name(collective.operation), fold.node, fold.segment,
                                             missing.front().first));
    }
}

/// Of pairs of neighbours.
void require_links(const Counts& counts, const Topology& topology) {
    for (NodeId u = 0; u < counts.nodes(); ++u)
        for (NodeId v = 0; v < counts.nodes(); ++v)
            if (counts.of(u, v) > 0 && topology.port_to(u, v) == no_port)
                throw RequestError(
                    fmt::format("counts: {} from node {} to node {}, and there is no link between them; "
                                "want 0",
                                counted(counts.of(u, v), "packet"), topology.name(u), topology.name(v)));
}

}  // namespace

std::uint64_t packets_each_max(const Collective& collective, NodeId nodes) {
    if (collective.signals() || collective.is_own() || !collective.promises()) return 1;
    Collective one = with_equal_counts(collective);
    one.packets_each = 1;
    return own_packets_max /
           one.operation->packets(one, nodes).rows;  // the larger of rows and columns has the factor M
}

Collective Collective::custom(OwnCollective own) {
    if (own.name.empty()) throw RequestError("a collective of one's own has no name; want one for reports, \"shift\"");
    const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
    if (std::ranges::any_of(own.name, is_control))
        throw RequestError(fmt::format("a collective of one's own is called {}; want a name of one line, \"shift\"",
                                       quoted(own.name)));
    if (std::ranges::any_of(own.noun, is_control))
        throw RequestError(
            fmt::format("{}: the noun is {}; want words of one line, \"their packets\"", own.name, quoted(own.noun)));
    if (!own.owned)
        throw RequestError(fmt::format("{}: .owned is missing, which says which packets a node owns", own.name));
    if (own.folds != nullptr) own.wanted = [folds = own.folds](NodeId v) { return folds->wanted(v); };
    if (!own.wanted)
        throw RequestError(fmt::format("{}: .wanted is missing, which says which packets a node must hold", own.name));
    if (own.packets == 0 || own.packets > own_packets_max)
        throw RequestError(fmt::format("{} has {} packets; want 1 to {}", own.name, own.packets, own_packets_max));
    if (!own.bytes.empty() && own.bytes.size() != own.packets)
        throw RequestError(fmt::format("{}: .bytes has {}; want one for each of {}", own.name,
                                       counted(own.bytes.size(), "size"), counted(own.packets, "packet")));
    std::shared_ptr<const Counts> counts;
    if (!own.bytes.empty())
        counts = std::make_shared<const Counts>(
            Counts::of_sizes({own.bytes, own.packets, own.folds == nullptr ? CountedFor::nodes : CountedFor::blocks}));
    const std::uint64_t packet_bytes = counts == nullptr ? own.packet_bytes : counts->bytes()->largest();
    Collective made{
        Operation(std::shared_ptr<const OperationRecord>(std::make_shared<const OwnRecord>(std::move(own)))), 0,
        packet_bytes};
    made.counts = std::move(counts);
    return made;
}

const OwnCollective* Collective::own() const { return operation.own_ != nullptr ? &OwnRecord::of(*this) : nullptr; }

const OwnFolds* Collective::own_folds() const {
    const OwnCollective* const said = own();
    return said == nullptr ? nullptr : said->folds.get();
}

PacketSet Collective::in_result(std::uint32_t segment, NodeId nodes) const {
    if (const OwnFolds* const folds = own_folds()) return folds->in_result(segment);
    const PacketSet all = PacketSet::range(0, nodes);
    return members == nullptr ? all : existing(all);
}

PacketSet Collective::in_results(std::span<const PacketBlock> packets, NodeId nodes) const {
    const OwnFolds* const folds = own_folds();
    const PacketSet all = folds == nullptr ? contributions_to(packets, nodes) : PacketSet();
    if (folds == nullptr) return members == nullptr ? all : existing(all);
    PacketSet some;
    const PacketSet segments = rows_of(packets);
    for (const PacketBlock& block : segments.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) {
            const std::uint32_t segment = block.columns()[i];
            for (const PacketBlock& of : folds->in_result(segment).blocks())
                some.add(block_of({segment}, of.columns()));
        }
    return some;
}

bool Collective::may_pass_on(NodeId v, NodeId nodes) const {
    const OwnCollective* const said = own();
    return said == nullptr || said->passes_on == nullptr || said->passes_on(v) || !owned(v, nodes).empty() ||
           !wanted(v, nodes).empty();
}

Collective counting(Collective collective, std::shared_ptr<const Counts> counts) {
    collective.packets_each = counts == nullptr ? 1 : counts->packets_each();
    collective.counts = std::move(counts);
    return collective;
}

Collective broadcast_from(Collective collective, std::vector<NodeId> sources, NodeId nodes) {
    constexpr NodeId counted_nodes_max = NodeId{1} << 28;
    if (nodes > counted_nodes_max)
        throw RequestError(fmt::format("sources: a broadcast from several nodes counts the packets of at most {}",
                                       counted(counted_nodes_max, "node")));
    if (collective.packets_each > own_packets_max)
        throw RequestError(fmt::format("packets_each {}: want 1 to {}", collective.packets_each, own_packets_max));
    std::vector<std::uint32_t> numbers(nodes);
    for (const NodeId v : sources) numbers[v] = static_cast<std::uint32_t>(collective.packets_each);
    collective.operation = Operation::allgather;
    collective.root = 0;
    collective.sources = std::make_shared<const std::vector<NodeId>>(std::move(sources));
    return counting(std::move(collective),
                    std::make_shared<const Counts>(std::move(numbers), nodes, CountedFor::nodes));
}

PacketSet Collective::of_members(const PacketSet& packets) const {
    if (operation->carries == Carries::copies) return packets;  // columns are no nodes
    const std::vector<NodeId>& ascending = members->ascending();
    const CountedFor counted_for = operation->counted_for;
    const bool rows_are_of_nodes = counted_for == CountedFor::pairs || counted_for == CountedFor::blocks;
    PacketSet some;
    PacketBlocks blocks;
    for (const PacketBlock& block : packets.blocks()) {
        if (!rows_are_of_nodes) {
            blocks.push_back(block);
            continue;
        }
        for (std::uint32_t r = 0; r < block.rows; ++r)  // M rows a node
            if (const std::uint32_t row = block.all_rows()[r]; members->has(row / packets_each))
                blocks.push_back(block_of({row}, block.columns()));
    }
    for (const PacketBlock& block : blocks) {
        const Progression columns = block.columns();
        const auto is_in = [&](NodeId v) {
            return v <= columns.last() && (columns.count == 1 || (v - columns.first) % columns.stride == 0);
        };
        for (auto at = std::ranges::lower_bound(ascending, columns.first); at != ascending.end();) {
            if (*at > columns.last()) break;
            std::uint32_t count = is_in(*at) ? 1 : 0;
            const auto first = static_cast<std::uint32_t>(*at++);
            if (count == 0) continue;
            for (; at != ascending.end() && *at == first + count && is_in(*at); ++at) ++count;
            some.add(block_of(block.all_rows(), {first, 1, count}));
        }
    }
    return some;
}

Collective among_relays(Collective collective, std::vector<NodeId> members, NodeId nodes) {
    const OperationRecord& operation = *collective.operation.operator->();
    const bool is_of_nodes = operation.counted_for == CountedFor::nodes;
    const bool has_form = operation.prefix == Prefix::no && !collective.is_own() && collective.sources == nullptr &&
                          (is_of_nodes || operation.counted_for == CountedFor::nothing) && operation.fit == nullptr &&
                          collective.operation != Operation::permutation;
    if (!has_form)
        throw RequestError(fmt::format("relay: no {} passes through nodes that are no members; want members alone",
                                       name(collective.operation)));
    auto ranked = std::make_shared<const RankedNodes>(std::move(members));
    if (collective.rooted() && !ranked->has(collective.root))
        throw RequestError(
            fmt::format("source '{}' is no member; want one, such as {}", collective.root, ranked->node(0)));
    if (is_of_nodes) {
        const std::uint64_t m = collective.packets_each;
        const Counts of_members =
            collective.counts != nullptr
                ? *collective.counts
                : Counts(std::vector<std::uint32_t>(ranked->count(), static_cast<std::uint32_t>(m)), ranked->count(),
                         CountedFor::nodes);
        collective =
            counting(std::move(collective), std::make_shared<const Counts>(of_members.placed(ranked->nodes(), nodes)));
        collective.packets_each = std::max(m, collective.packets_each);
    }
    collective.members = std::move(ranked);
    return collective;
}

Collective with_equal_counts(Collective collective) {
    collective.counts = nullptr;
    return collective;
}

Collective moved_forward(Collective collective, const Operation& forward) {
    const CountedFor counted_for = forward->counted_for;
    if (collective.counts != nullptr && collective.counts->counted_for() != counted_for)
        collective.counts = std::make_shared<const Counts>(collective.counts->counted_for(counted_for));
    if (!collective.is_own()) collective.operation = forward;
    return collective;
}

Collective fitted(Collective collective, const Topology& topology) {
    if (collective.operation->fit != nullptr) collective.operation->fit(collective, topology);
    return collective;
}

void require_valid(const Collective& collective, const Topology& topology) {
    const NodeId nodes = topology.nodes();
    if (collective.root >= nodes)
        throw RequestError(
            fmt::format("source '{}': {} has nodes 0 to {}", collective.root, topology.spec(), nodes - 1));
    require_numbers(collective, nodes);
    if (collective.operation == Operation::permutation) require_valid(collective.permutation, topology);
    const bool is_among_neighbours =
        collective.operation == Operation::neighbor_allgather || collective.operation == Operation::neighbor_alltoall;
    if (is_among_neighbours && (collective.neighbours == nullptr || collective.neighbours->nodes() != nodes))
        throw RequestError(fmt::format("{}: the neighbours are not those of {}; want fitted()",
                                       name(collective.operation), topology.spec()));
    if (is_among_neighbours && collective.counts != nullptr) require_links(*collective.counts, topology);
    if (collective.signals() && collective.packet_bytes != 0)
        throw RequestError(fmt::format("{}: signals have no bytes; want packet_bytes 0", name(collective.operation)));
    if (!collective.is_own()) return;
    if (collective.own() == nullptr)
        throw RequestError("promise: who owns and wants what? want Collective::custom(), which says it");
    const PacketSpace space(collective, nodes);
    const auto check = [&](NodeId v, std::string_view has, const PacketSet& packets) {
        if (packets.empty() || space.allows(packets.blocks())) return;
        throw RequestError(fmt::format("{}: what node {} {} names {}", name(collective.operation), v, has,
                                       space.text(space.fault_of(packets.blocks()))));
    };
    for (NodeId v = 0; v < nodes; ++v) {
        check(v, "owns", collective.owned(v, nodes));
        check(v, "must hold", collective.wanted(v, nodes));
    }
    if (collective.own_folds() != nullptr) require_given(collective, nodes);
}

void require_packets(const Collective& collective) {
    if (!collective.promises())
        throw RequestError("a schedule does not say what messages contain: it can be audited, and not replayed");
}

Neighbourhood::Neighbourhood(const Topology& topology) {
    constexpr std::uint64_t pairs_max = std::uint64_t{1} << 28;
    if (has_switches(topology))
        throw RequestError(
            fmt::format("the hosts of {} are joined by switches, and have no neighbours", topology.spec()));
    if (topology.nodes() >= pairs_max || topology.channels() > pairs_max)
        throw DoesNotFit(fmt::format("{} has {} pairs of neighbours; lists of neighbours hold 2^28", topology.spec(),
                                     topology.channels()));
    first_.reserve(topology.nodes() + 1);
    all_.reserve(topology.channels());
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        for_each_neighbour(topology, v, [&](NodeId w) { all_.push_back(static_cast<std::uint32_t>(w)); });
        const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(first_.back());
        std::sort(begin, all_.end());
        all_.erase(std::unique(begin, all_.end()), all_.end());
        largest_ = std::max<std::uint64_t>(largest_, all_.size() - first_.back());
        first_.push_back(all_.size());
    }
}

}  // namespace kport
