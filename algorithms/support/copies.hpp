/// @file copies.hpp   What a broadcast sends down its tree: one packet, all M of them together, or one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "algorithms/support/fit.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/bundle.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// The messages that each node of a tree forwards: one with all packets where machines combine, else one for each
/// packet (model.md section 13.2, pipelines in trees). A copy shares the set; messages live as long as one copy does.
class Copies {
  public:
    Copies(const Machine& machine, const Collective& collective)
        : messages_(machine.combining ? 1 : collective.packets_each) {
        if (machine.combining && collective.packets_each > 1)
            all_ = std::make_shared<const PacketSet>(PacketSet::range(0, collective.packets_each));
    }

    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    [[nodiscard]] Cargo message(std::uint64_t j = 0) const { return all_ ? Cargo(*all_) : Cargo(Packet(j)); }

  private:
    std::uint64_t messages_;
    std::shared_ptr<const PacketSet> all_;
};

/// Whether packets cannot be pipelined down a tree, because nodes cannot send one while the next comes: then each
/// starts when the previous one is everywhere.
[[nodiscard]] inline bool start_apart(const Machine& machine, std::uint64_t packets) {
    return packets > 1 && (needs_full_duplex(machine) || needs_partners(machine));
}

/// Returns the cost of `packets` packets in a pipeline down a tree, given the cost of one (model.md section 13.2). No
/// node has more than `children` children; if these are more than the ports, the root has as many. Without `children`
/// only a run can show it, as where a node has several ports, but not enough for all its children; where packets start
/// apart it is known. `through_root`: the rounds if the caller knows that only the root delays packets.
[[nodiscard]] ExpectedCost in_turn(ExpectedCost one, const Machine& machine, std::uint64_t packets,
                                   std::optional<std::uint64_t> children,
                                   std::optional<std::uint64_t> through_root = {});

/// The messages in which the packets of one node travel: all of them together where machines combine, else one after
/// the other.
class Parcels {
  public:
    Parcels(const Machine& machine, const Collective& collective)
        : m_(collective.packets_each), messages_(machine.combining ? 1 : m_) {}

    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    [[nodiscard]] PacketBlock message(NodeId v, std::uint64_t j) const {
        return {static_cast<std::uint32_t>(v), 1, 1,
                static_cast<std::uint32_t>(j), 1, static_cast<std::uint32_t>(m_ / messages_)};
    }

  private:
    std::uint64_t m_;
    std::uint64_t messages_;
};

}  // namespace kport
