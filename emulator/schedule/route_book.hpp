/// @file route_book.hpp   Routes of messages, by their round and ends.
#pragma once

#include <map>
#include <span>
#include <tuple>

#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// The routes that the messages of a schedule take. Another run of the same messages in the same rounds finds them here.
///
/// Callers   any thread.
/// Cost      O(log messages) a search; memory as the schedule, and some 80 bytes a message.
class RouteBook {
  public:
    /// Of several messages of one round between the same two nodes it knows the first.
    explicit RouteBook(Schedule messages);

    /// Returns the ports of the route; none for a message that is not in the book.
    [[nodiscard]] std::span<const Port> route(Round round, NodeId from, NodeId to) const;

  private:
    Schedule messages_;
    std::map<std::tuple<Round, NodeId, NodeId>, std::size_t> found_;
};

}  // namespace kport
