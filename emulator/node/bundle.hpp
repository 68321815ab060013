/// @file bundle.hpp   What one message carries, as a program names it: a packet, a set of packets, or a value.
#pragma once

#include <cstdint>
#include <utility>

#include "emulator/base/types.hpp"
#include "emulator/node/body.hpp"
#include "emulator/node/running.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// A handle to a packet: its number. The bytes stay in the memories of the nodes that hold it (node/memory.hpp) and move
/// when a transfer moves them. Not an aggregate on purpose: g++ 12 destroys aggregate temporaries of a co_await
/// statement twice, and node programs pass packets in such statements.
class Packet {
  public:
    Packet() : id_(0) {}
    explicit Packet(PacketId id) : id_(id) {}
    [[nodiscard]] PacketId id() const { return id_; }

    bool operator==(const Packet&) const = default;

  private:
    PacketId id_;
};

/// A partial result of a reduction: what some contributions were folded to. Never changes; copies share it.
///
/// Callers   the program of the node that made or received it.
class Value {
  public:
    Value() = default;
    /// Takes one reference over.
    explicit Value(Body* body) : body_(body) {}
    Value(const Value& other) : body_(other.body_) {
        if (body_ != nullptr) body_->hold();
    }
    Value(Value&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
    Value& operator=(Value other) noexcept {
        std::swap(body_, other.body_);
        return *this;
    }
    ~Value() {
        if (body_ != nullptr) body_->release(*running.pool);
    }

    [[nodiscard]] const Body* body() const { return body_; }

  private:
    Body* body_ = nullptr;
};

/// What a send carries. Sets and values are named, not copied: they must live until the await is over.
class Cargo {
  public:
    enum class Kind : std::uint8_t {
        packet,
        packets,  ///< the sender keeps them
        passed,   ///< the sender passes them on and no longer needs them
        value
    };

    Cargo() = default;
    Cargo(Packet packet) : word_(packet.id()) {}  // NOLINT: what a send carries is said by its type
    Cargo(const PacketSet& packets) : Cargo(&packets, Kind::packets) {}  // NOLINT
    Cargo(const Value& value) : Cargo(&value, Kind::value) {}            // NOLINT
    [[nodiscard]] static Cargo passed(const PacketSet& packets) { return {&packets, Kind::passed}; }

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(word_ >> kind_shift); }
    [[nodiscard]] Packet packet() const { return Packet(word_); }
    [[nodiscard]] const PacketSet& packets() const { return *static_cast<const PacketSet*>(pointer()); }
    [[nodiscard]] const Value& value() const { return *static_cast<const Value*>(pointer()); }

  private:
    // One word, because a million frames hold one each: numbers of packets and addresses leave the upper bits free.
    static constexpr int kind_shift = 62;
    Cargo(const void* thing, Kind kind)
        : word_(reinterpret_cast<std::uintptr_t>(thing) | static_cast<std::uint64_t>(kind) << kind_shift) {}
    [[nodiscard]] const void* pointer() const {
        return reinterpret_cast<const void*>(word_ & ((std::uint64_t{1} << kind_shift) - 1));
    }

    std::uint64_t word_ = 0;
};

}  // namespace kport
