#include "emulator/node/node.hpp"

namespace kport {

void Program::Call::await_suspend(Handle caller) noexcept {
    callee_.promise().caller = caller;
    running.node->call(callee_);
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
