/// @file partition_in_order.cpp   A round in a given order of the nodes (engine/order.hpp).
#include <utility>

#include "emulator/engine/partition.hpp"

namespace kport {

Node& Partition::made_node(NodeId v) {
    Node* node = world_.slots[v].node();
    return node != nullptr ? *node : make_node(v);
}

void Partition::run_in_order(Round round) {
    more_mail_.clear();
    first_mail_.for_each([&](std::span<const Message> batch) {
        for (const Message& message : batch) {
            now_.push_back(&made_node(message.to));
            give(*now_.back(), message, round - 1);
        }
    });
    first_mail_.restart();
    const auto make_blank = [&](NodeId v) {
        if (world_.slots[v].state() == Slot::State::idle) now_.push_back(&make_node(v));
    };
    for (const NodeId v : starters_) make_blank(v);
    starters_.clear();
    if (std::exchange(all_start_, false)) world_.deal.for_each(index_, world_.topology.nodes(), make_blank);

    rearrange(now_, *world_.order);
    for (Node* node : now_)
        if (NodeAccess::has_started(*node))
            resume(*node);
        else
            start_node(*node);
}

}  // namespace kport
