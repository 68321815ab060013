/// @file slot.hpp   The state of a virtual node, and its Node.
#pragma once

#include <cstdint>

#include "emulator/node/node.hpp"

namespace kport {

/// An engine's data for each virtual node: one word.
class Slot {
  public:
    enum class State : std::uint8_t {
        idle,      ///< not started; its first message starts it
        starting,  ///< its first message has come
        alive,     ///< there is a Node
        ended      ///< its program is over; what comes is dropped
    };

    [[nodiscard]] State state() const { return static_cast<State>(word_ & state_mask); }
    /// Null unless alive.
    [[nodiscard]] Node* node() const {
        return state() == State::alive ? reinterpret_cast<Node*>(word_ & ~(state_mask | holds_bytes_bit | passes_bit))
                                       : nullptr;
    }
    void set(State state) { word_ = (word_ & holds_bytes_bit) | static_cast<std::uint64_t>(state); }
    void set(Node* node) {
        word_ = (word_ & holds_bytes_bit) | reinterpret_cast<std::uintptr_t>(node) |
                static_cast<std::uint64_t>(State::alive);
    }
    /// The program has ended; `note` is the engine's, readable while the state is `ended`.
    void end(std::uint32_t note) { word_ = (word_ & holds_bytes_bit) | ended_with(note); }
    [[nodiscard]] std::uint32_t note() const { return static_cast<std::uint32_t>(word_ >> note_shift); }
    /// Notes that the packet's bytes are copied here; true the first time.
    [[nodiscard]] bool first_bytes() {
        const bool first = !holds_bytes();
        word_ |= holds_bytes_bit;
        return first;
    }
    [[nodiscard]] bool holds_bytes() const { return (word_ & holds_bytes_bit) != 0; }
    /// Notes that the program has passed packets on; for as long as it runs.
    void passes() { word_ |= passes_bit; }
    [[nodiscard]] bool has_passed() const { return (word_ & passes_bit) != 0 && state() == State::alive; }

  private:
    // The pools align nodes to 16 bytes, which leaves four bits of the address.
    static constexpr std::uint64_t state_mask = 3;
    static constexpr std::uint64_t holds_bytes_bit = 4;
    static constexpr std::uint64_t passes_bit = 8;
    static constexpr int note_shift = 32;
    [[nodiscard]] static std::uint64_t ended_with(std::uint32_t note) {
        return static_cast<std::uint64_t>(State::ended) | std::uint64_t{note} << note_shift;
    }
    std::uint64_t word_;
};
static_assert(sizeof(Slot) == 8);

}  // namespace kport
