#include "emulator/node/node.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"

namespace kport {

void Program::Call::await_suspend(Handle caller) noexcept {
    callee_.promise().caller = caller;
    running.node->call(callee_);
}

void Arrival::refuse_contents() const {
    throw std::invalid_argument(
        fmt::format("the message from node {} has no contents; they are sent as Data(x)", from));
}

void Arrival::refuse_size(std::size_t wanted) const {
    throw std::invalid_argument(fmt::format("the message from node {} has contents of {}; it is read as a type of {}",
                                            from, counted(bytes().size(), "byte"), wanted));
}

Node::Letter** Node::awaited_letter(Waiting waiting, std::uint32_t awaited) {
    Letter** place = &letters_;
    if (waiting == Waiting::for_message_by)
        while (*place != nullptr && (*place)->arrival.port != awaited) place = &(*place)->next;
    else if (waiting == Waiting::for_message_from)
        while (*place != nullptr && (*place)->arrival.from != awaited) place = &(*place)->next;
    return place;
}

}  // namespace kport
