/// @file copies.hpp   What a broadcast sends down its tree: its packet, all M of them together, or one behind the other.
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

/// The messages that each node of a tree passes on: one with all packets where machines combine, else one for each packet
/// (model.md section 13.2, pipelines in trees). A copy shares the set; messages live as long as one does.
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

/// Whether packets do not follow one another down a tree, because nodes cannot send one while the next comes: then each starts when
/// the one before is everywhere.
[[nodiscard]] inline bool start_apart(const Machine& machine, std::uint64_t packets) {
    return packets > 1 && (needs_full_duplex(machine) || needs_partners(machine));
}

/// What so many packets cost one behind the other down a tree in which nobody has more than `children` children, and if these are
/// more than the ports, the root has as many, if one packet costs this (model.md section 13.2). Nothing is known of `children`: only a
/// run can tell, and so where a node has several ports, but not for all its children. Where they start apart it is known.
/// `through_root`: the rounds where the caller knows that the root alone delays packets.
[[nodiscard]] ExpectedCost in_turn(ExpectedCost one, const Machine& machine, std::uint64_t packets,
                                   std::optional<std::uint64_t> children,
                                   std::optional<std::uint64_t> through_root = {});

/// The messages in which the packets of one node travel: all of them together where machines combine, else one behind the
/// other.
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
