/// @file arrival.hpp   A message that came to a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "emulator/base/types.hpp"
#include "emulator/node/bundle.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// A message that arrived in an earlier round.
class Arrival {
  public:
    Arrival(NodeId the_sender, Port the_port, Round the_round, Packet packet)
        : from(the_sender), port(the_port), round(the_round), packet_or_nodes_(packet.id()) {}
    /// A value or a body of packets (node_count = N), or contents (node_count = 0).
    Arrival(NodeId the_sender, Port the_port, Round the_round, Value value, NodeId node_count)
        : from(the_sender), port(the_port), round(the_round), packet_or_nodes_(node_count), value_(std::move(value)) {}

    /// The packet that came; of several the lowest; of a reduction the lowest contribution. Its number: in an alltoall row
    /// times N plus column.
    [[nodiscard]] Packet packet() const {
        if (value_.is_element()) return Packet(lowest_of(value_.element().blocks().blocks(), packet_or_nodes_));
        if (value_.body() != nullptr) return Packet(lowest_of(value_.body()->blocks(), packet_or_nodes_));
        return Packet(packet_or_nodes_);
    }
    /// The packets that came; of a reduction the contributions.
    [[nodiscard]] PacketSet packets() const {
        if (has_contents()) return {};
        if (!value_.is_none()) return value_.contributions();
        return PacketSet::range(packet_or_nodes_, packet_or_nodes_ + 1);
    }
    /// The partial result that came.
    [[nodiscard]] const Value& value() const { return value_; }

    /// Whether the message has contents (Data) instead of packets or a value.
    [[nodiscard]] bool has_contents() const { return packet_or_nodes_ == 0 && value_.body() != nullptr; }
    /// The contents; they live as long as this arrival or a copy of it, and end with the run. Throws std::invalid_argument if
    /// there are none.
    [[nodiscard]] std::span<const std::byte> bytes() const {
        if (!has_contents()) [[unlikely]]
            refuse_contents();
        return value_.body()->content();
    }
    /// The contents as what was sent. Throws std::invalid_argument if there are none, or of another size.
    template <SentAsBytes T>
    [[nodiscard]] T as() const {
        if (bytes().size() != sizeof(T)) [[unlikely]]
            refuse_size(sizeof(T));
        return from_bytes<T>(bytes().data());
    }

    NodeId from;  ///< who started the message
    Port port;    ///< the port of this node by which it came in
    Round round;  ///< the round in which it was transferred

  private:
    friend class NodeAccess;

    [[noreturn]] void refuse_contents() const;
    [[noreturn]] void refuse_size(std::size_t wanted) const;

    /// The packet; or, where a value or a body came, N: from it packets have their numbers. Of contents 0.
    std::uint64_t packet_or_nodes_;
    Value value_;
};

}  // namespace kport
