#include "emulator/node/node.hpp"

namespace kport {

void Program::Call::await_suspend(Handle caller) noexcept {
    callee_.promise().caller = caller;
    running.node->call(callee_);
}

bool Node::has_letter(Port port) const {
    for (const Letter* letter = letters_; letter != nullptr; letter = letter->next)
        if (port == no_port || letter->arrival.port == port) return true;
    return false;
}

Node::Letter* Node::take(Port port) {
    Letter** place = &letters_;
    while (port != no_port && (*place)->arrival.port != port) place = &(*place)->next;
    Letter* letter = *place;
    *place = letter->next;
    return letter;
}

}  // namespace kport
