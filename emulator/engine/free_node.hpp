/// @file free_node.hpp   A node of a free run, with its own clock.
#pragma once

#include <vector>

#include "emulator/node/node_access.hpp"

namespace kport {

/// From whom a node got its mail, as far as it matters: with one sender the mail has an order of its own, with several
/// only rounds could say what comes first.
class Senders {
  public:
    Senders() = default;
    explicit Senders(std::uint32_t note) : note_(note) {}

    /// `direct`: it came by a link from the neighbour there.
    void add(NodeId from, bool direct) {
        const auto sender = static_cast<std::uint32_t>(from) & sender_mask;
        if ((note_ & known) == 0)
            note_ |= known | sender;
        else if ((note_ & sender_mask) != sender)
            note_ |= several;
        if (!direct) note_ |= far;
    }
    /// The program took what came first (any), or first by one port (by_port).
    void took(bool any, bool by_port) { note_ |= (any ? took_any : 0U) | (by_port ? took_by_port : 0U); }

    [[nodiscard]] bool any() const { return (note_ & known) != 0; }
    /// Whether the program's letters depend on the timing of their senders.
    [[nodiscard]] bool order_matters() const {
        if ((note_ & several) == 0) return false;
        return (note_ & took_any) != 0 || ((note_ & took_by_port) != 0 && (note_ & far) != 0);
    }
    [[nodiscard]] std::uint32_t note() const { return note_; }

  private:
    // One word, so that it can stay behind in the slot of a node that has ended.
    static constexpr std::uint32_t known = 1U << 31;
    static constexpr std::uint32_t several = 1U << 30;
    static constexpr std::uint32_t far = 1U << 29;
    static constexpr std::uint32_t took_any = 1U << 28;
    static constexpr std::uint32_t took_by_port = 1U << 27;
    static constexpr std::uint32_t sender_mask = took_by_port - 1;

    std::uint32_t note_ = 0;
};

/// What the free-running engine keeps of a node that has started and not ended.
class FreeNode : public Node {
  public:
    using Node::Node;

    Round clock = 1;  ///< its round while it does not run
    /// Until it has received a message it does nothing but wait before this round, as the job says; ~0: before it has received one.
    Round acts_from = 0;
    Senders senders;
    NodeId partner = no_node;   ///< to whom it has last sent
    std::vector<Port> sent_by;  ///< ports used in its last round with a send; empty on 1-port machines
};

}  // namespace kport
