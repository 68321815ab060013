/// @file waiting.hpp   What a node program waits for.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/base/types.hpp"
#include "emulator/node/send_request.hpp"

namespace KPORT_PUBLIC kport {

/// Why a program does not run.
enum class Waiting : std::uint8_t {
    nothing,                  ///< it runs, or will in this round
    to_send,                  ///< for a free send port
    for_message,              ///< for a message by any port
    for_message_by,           ///< for a message by one port
    for_message_from,         ///< for a message of one sender
    for_message_by_one_of,    ///< for a message by one of several ports
    for_message_from_one_of,  ///< for a message of one of several senders
    for_round,                ///< for a round, usually the next
    for_strands,              ///< for strands that it has spawned to end
    in_strands                ///< of a node that has several strands: each waits for something of its own
};

/// Waiting, and for which.
struct Wait {
    const void* list = nullptr;  ///< sends, ports or senders, `awaited` of them; else null
    std::uint32_t awaited = 0;   ///< or a port, a sender, a round, a group of strands
    Waiting waiting = Waiting::nothing;
    bool serves = false;  ///< it may wait for ever

    [[nodiscard]] std::span<const SendRequest> sends() const {
        if (waiting != Waiting::to_send) return {};
        return {static_cast<const SendRequest*>(list), awaited};
    }
    /// Of a choice of ports.
    [[nodiscard]] std::span<const Port> ports() const { return {static_cast<const Port*>(list), awaited}; }
    /// Of a choice of senders.
    [[nodiscard]] std::span<const NodeId> senders() const { return {static_cast<const NodeId*>(list), awaited}; }
    [[nodiscard]] bool is_for_message() const {
        return waiting >= Waiting::for_message && waiting <= Waiting::for_message_from_one_of;
    }
    /// Whether a message is what is waited for.
    [[nodiscard]] bool is_for(NodeId from, Port port) const {
        switch (waiting) {
            case Waiting::for_message: return true;
            case Waiting::for_message_by: return port == awaited;
            case Waiting::for_message_from: return from == awaited;
            case Waiting::for_message_by_one_of:
            case Waiting::for_message_from_one_of: return chooses(from, port);
            default: return false;
        }
    }

  private:
    [[nodiscard]] bool chooses(NodeId from, Port port) const;
};

}  // namespace kport
