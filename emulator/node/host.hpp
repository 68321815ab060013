/// @file host.hpp   What an engine is to the nodes that it runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/arrival.hpp"
#include "emulator/node/bundle.hpp"
#include "emulator/node/send_request.hpp"
#include "emulator/schedule/collective.hpp"

namespace KPORT_PUBLIC kport {

class Node;

/// What an engine does for the nodes that it runs. One task at a time uses a host.
class Host {
  public:
    virtual ~Host() = default;

    /// Starts as many of the sends, in their order, as send ports and channels of the node are free in this round.
    /// Returns what is left. `together`: they were declared to belong to one round, and this is that round.
    [[nodiscard]] virtual std::span<const SendRequest> start(Node& node, std::span<const SendRequest> sends,
                                                             bool together) = 0;
    [[nodiscard]] virtual const Machine& machine() const = 0;
    [[nodiscard]] virtual const Collective& collective() const = 0;
    /// The job's.
    [[nodiscard]] virtual std::uint64_t seed() const = 0;

    /// Reductions: what the node contributes; left op right; both in the order of the nodes; a value's runs; all of it, as one packet; the node's
    /// result.
    [[nodiscard]] virtual Value contribution(Node& node) = 0;
    [[nodiscard]] virtual Value contribution(Node& node, const PacketSet& segments) = 0;
    [[nodiscard]] virtual Value fold(Node& node, const Value& left, const Value& right) = 0;
    [[nodiscard]] virtual Value merge(Node& node, const Value& one, const Value& other) = 0;
    [[nodiscard]] virtual std::vector<Value> runs(Node& node, const Value& value) = 0;
    [[nodiscard]] virtual Value whole(Node& node, const Value& value) = 0;
    /// So many segments of a value, from the first on; values as one.
    [[nodiscard]] virtual Value cut(Node& node, const Value& value, std::uint64_t first, std::uint64_t count) = 0;
    [[nodiscard]] virtual Value cut(Node& node, const Value& value, const PacketSet& segments) = 0;
    [[nodiscard]] virtual Value concatenate(Node& node, std::span<const Value* const> values) = 0;
    virtual void result(Node& node, const Value& value) = 0;

    [[nodiscard]] Round round() const { return round_; }
    /// The program has received a message. Hosts without global rounds must know.
    void tell_received(Node& node, const Arrival& arrival) {
        if (has_own_clocks_) [[unlikely]]
            received(node, arrival);
    }

  protected:
    explicit Host(bool has_own_clocks = false) : has_own_clocks_(has_own_clocks) {}

    Round round_ = 0;

  private:
    virtual void received(Node&, const Arrival&) {}

    bool has_own_clocks_;
};

}  // namespace kport
