#include "app/files/slot_layout.hpp"

#include <string_view>

#include <fmt/format.h>

namespace kport::slots {

namespace {

constexpr std::string_view buffers = "iosm";
constexpr unsigned chunk_bits = 36;
constexpr unsigned rank_bits = 20;

/// Whether the output has all ranks' data and the input a share.
bool gathers(const Operation& operation) { return operation == Operation::allgather || operation == Operation::gather; }
bool scatters(const Operation& operation) {
    return operation == Operation::reduce_scatter || operation == Operation::scatter;
}

}  // namespace

Slot slot_at(char buffer, NodeId rank, std::uint64_t chunk) {
    return (std::uint64_t{buffers.find(buffer)} << rank_bits | rank) << chunk_bits | chunk;
}
char buffer_of(Slot slot) { return buffers[slot >> (rank_bits + chunk_bits)]; }
NodeId rank_of(Slot slot) { return slot >> chunk_bits & (ranks_max - 1); }
std::uint64_t chunk_of(Slot slot) { return slot & (chunks_max - 1); }
std::string slot_name(Slot slot) {
    return fmt::format("GPU {} {}[{}]", rank_of(slot), buffer_of(slot), chunk_of(slot));
}

bool Layout::exists_for(const Operation& operation) {
    const bool is_of_graph = operation->fit != nullptr && operation != Operation::permutation;
    return operation.promises() && !operation.signals() && !operation.is_own() && !is_of_graph;
}

bool Layout::has_shares(const Operation& operation) {
    return gathers(operation) || scatters(operation) || operation == Operation::alltoall;
}

Layout::Layout(const Collective& collective, NodeId ranks, std::uint64_t vector, bool in_place)
    : collective_(collective), ranks_(ranks), share_(has_shares(collective.operation) ? vector / ranks : vector),
      inputs_(gathers(collective.operation) ? share_ : vector),
      outputs_(scatters(collective.operation) ? share_ : vector), in_place_(in_place), promises_(true) {}

Slot Layout::slot(char buffer, NodeId rank, std::uint64_t chunk) const {
    if (!in_place_ || buffer == 's') return slot_at(buffer, rank, chunk);
    if (gathers(collective_.operation)) return slot_at('o', rank, buffer == 'i' ? rank * share_ + chunk : chunk);
    if (scatters(collective_.operation)) return slot_at('i', rank, buffer == 'o' ? rank * share_ + chunk : chunk);
    return slot_at('i', rank, chunk);
}

std::optional<ContributionRun> Layout::initial(Slot slot) const {
    if (!promises()) return std::nullopt;
    const NodeId rank = rank_of(slot);
    std::uint64_t chunk = chunk_of(slot);
    if (in_place_ && gathers(collective_.operation) && buffer_of(slot) == 'o')
        chunk -= rank * share_;  // wraps around before the rank's own
    else if (buffer_of(slot) != 'i')
        return std::nullopt;
    const bool owns = collective_.operation->rooted != Rooted::gives || rank == collective_.root;
    if (!owns || chunk >= inputs_) return std::nullopt;
    return ContributionRun{chunk, rank, rank};
}

std::optional<ContributionRun> Layout::wanted(NodeId rank, std::uint64_t chunk) const {
    const Operation& operation = collective_.operation;
    const NodeId root = collective_.root;
    if (operation->rooted == Rooted::takes && rank != root) return std::nullopt;
    if (operation == Operation::broadcast) return ContributionRun{chunk, root, root};
    if (operation == Operation::scatter) return ContributionRun{rank * share_ + chunk, root, root};
    if (gathers(operation)) return ContributionRun{chunk % share_, chunk / share_, chunk / share_};
    if (operation == Operation::alltoall)
        return ContributionRun{rank * share_ + chunk % share_, chunk / share_, chunk / share_};
    if (operation == Operation::permutation) {
        const NodeId source = collective_.permutation.source(rank, ranks_);
        if (source == no_node) return std::nullopt;
        return ContributionRun{chunk, source, source};
    }
    if (operation == Operation::reduce_scatter) return ContributionRun{rank * share_ + chunk, 0, ranks_ - 1};
    if (!collective_.gives_result(rank)) return std::nullopt;
    return ContributionRun{chunk, 0, (collective_.scans() ? collective_.prefix_size(rank) : ranks_) - 1};
}

}  // namespace kport::slots
