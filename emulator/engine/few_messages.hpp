/// @file few_messages.hpp   The mail of a round in which few messages move.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "emulator/base/error.hpp"
#include "emulator/node/message.hpp"

namespace kport {

/// What the programs of a small round send, in the order sent, instead of a mailbox for each pair of partitions
/// (engine/small_rounds.hpp).
///
/// Callers   one task; wanted(): any, while it does not change.
class FewMessages {
  public:
    static constexpr std::size_t most = 1024;

    /// Whether messages are to come here.
    [[nodiscard]] bool wanted() const { return wanted_; }
    void want(bool wanted) { wanted_ = wanted; }

    void add(const Message& message) {
        if (end_ == most) [[unlikely]]
            throw RequestError(
                "a node sends by more ports than the topology says that any has: max_degree() is too small");
        messages_[end_++] = message;
    }
    [[nodiscard]] std::span<Message> all() { return {&messages_[begin_], end_ - begin_}; }
    [[nodiscard]] bool empty() const { return begin_ == end_; }
    /// The caller owns what the message carries.
    [[nodiscard]] const Message& take_first() { return messages_[begin_++]; }
    /// They stand here until the next add().
    [[nodiscard]] std::span<Message> take_all() {
        const std::span<Message> taken = all();
        restart();
        return taken;
    }
    /// Makes room for `most` messages again.
    void restart() { begin_ = end_ = 0; }

  private:
    bool wanted_ = false;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::array<Message, most> messages_;
};

}  // namespace kport
