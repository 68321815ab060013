#include "emulator/node/waiting.hpp"

#include <algorithm>

namespace kport {

bool Wait::chooses(NodeId from, Port port) const {
    const auto has = [](const auto& choice, auto wanted) { return std::ranges::find(choice, wanted) != choice.end(); };
    return waiting == Waiting::for_message_by_one_of ? has(ports(), port) : has(senders(), from);
}

}  // namespace kport
