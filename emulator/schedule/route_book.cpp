#include "emulator/schedule/route_book.hpp"

#include <utility>

namespace kport {

RouteBook::RouteBook(Schedule messages) : messages_(std::move(messages)) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        const Transfer message = messages_.transfer(i);
        found_.try_emplace({messages_.round(i), message.from, message.to}, i);
    }
}

std::span<const Port> RouteBook::route(Round round, NodeId from, NodeId to) const {
    const auto found = found_.find({round, from, to});
    return found == found_.end() ? std::span<const Port>() : messages_.transfer(found->second).route;
}

}  // namespace kport
