#include "algorithms/support/bipartite_colouring.hpp"

#include <algorithm>
#include <limits>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

constexpr std::uint32_t no_edge = std::numeric_limits<std::uint32_t>::max();

struct ColouredEdge {
    std::uint64_t sender;
    std::uint64_t receiver;
    std::uint64_t colour;
};

}  // namespace

BipartiteColouring::BipartiteColouring(NodeId nodes, std::uint64_t degree)
    : colours_(degree), at_sender_(nodes * degree, no_edge), at_receiver_(nodes * degree, no_edge),
      free_at_sender_(nodes), free_at_receiver_(nodes) {}

NodeId BipartiteColouring::receiver(NodeId sender, std::uint64_t colour) const {
    const std::uint32_t end = at_sender_[sender * colours_ + colour];
    return end == no_edge ? none : end;
}

std::uint64_t BipartiteColouring::first_free(const Ends& ends, std::vector<std::uint32_t>& hints, NodeId v) const {
    std::uint32_t& colour = hints[v];
    while (colour < colours_ && ends[v * colours_ + colour] != no_edge) ++colour;
    invariant(colour < colours_, "a node has no more edges than there are colours");
    return colour;
}

void BipartiteColouring::add(NodeId sender, NodeId receiver) {
    const std::uint64_t colour = first_free(at_sender_, free_at_sender_, sender);
    if (at_receiver_[receiver * colours_ + colour] != no_edge)
        exchange(receiver, colour, first_free(at_receiver_, free_at_receiver_, receiver));
    at_sender_[sender * colours_ + colour] = static_cast<std::uint32_t>(receiver);
    at_receiver_[receiver * colours_ + colour] = static_cast<std::uint32_t>(sender);
}

void BipartiteColouring::exchange(NodeId receiver, std::uint64_t colour, std::uint64_t other) {
    std::vector<ColouredEdge> path;
    std::uint64_t at = receiver;
    for (bool from_receiver = true;; from_receiver = !from_receiver) {
        const std::uint64_t now = from_receiver ? colour : other;
        const std::uint32_t end = (from_receiver ? at_receiver_ : at_sender_)[at * colours_ + now];
        if (end == no_edge) break;
        path.push_back(from_receiver ? ColouredEdge{end, at, now} : ColouredEdge{at, end, now});
        at = end;
    }
    for (const ColouredEdge& edge : path)
        at_sender_[edge.sender * colours_ + edge.colour] = at_receiver_[edge.receiver * colours_ + edge.colour] =
            no_edge;
    for (const ColouredEdge& edge : path) {
        const std::uint64_t now = edge.colour == colour ? other : colour;
        at_sender_[edge.sender * colours_ + now] = static_cast<std::uint32_t>(edge.receiver);
        at_receiver_[edge.receiver * colours_ + now] = static_cast<std::uint32_t>(edge.sender);
    }
    // Only the two ends of the path have another colour free than before.
    const auto lowest = static_cast<std::uint32_t>(std::min(colour, other));
    free_at_receiver_[receiver] = std::min(free_at_receiver_[receiver], lowest);
    std::vector<std::uint32_t>& free_at_end = path.size() % 2 == 0 ? free_at_receiver_ : free_at_sender_;
    free_at_end[at] = std::min(free_at_end[at], lowest);
}

}  // namespace kport
