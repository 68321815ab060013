/// @file a_node.hpp   A node without an engine: its host, its fixture, and the programs that several tests run on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/node/node_access.hpp"

namespace kport::test {

/// Starts a given number of sends and logs the calls.
class FakeHost final : public Host {
  public:
    explicit FakeHost(bool has_own_clocks = false) : Host(has_own_clocks) {
        machine_.topology = make_topology("ring:8");
    }
    std::span<const SendRequest> start(Node&, std::span<const SendRequest> sends, bool together) override {
        asked_together = together;
        while (ready > 0 && !sends.empty()) {
            --ready;
            started.push_back(sends.front());
            sends = sends.subspan(1);
        }
        return sends;
    }
    [[nodiscard]] const Machine& machine() const override { return machine_; }
    [[nodiscard]] const Collective& collective() const override { return collective_; }
    [[nodiscard]] std::uint64_t seed() const override { return 1; }
    [[nodiscard]] Value contribution(Node& node) override {
        return Value(Element{{static_cast<std::uint32_t>(node.id())}, 10 * node.id()});
    }
    [[nodiscard]] Value contribution(Node& node, const PacketSet&) override { return contribution(node); }
    /// left - right, so that sides can be told apart.
    [[nodiscard]] Value fold(Node&, const Value& left, const Value& right) override {
        return Value(Element{left.element().contributions, left.element().bits - right.element().bits});
    }
    [[nodiscard]] Value merge(Node& node, const Value& one, const Value& other) override {
        return fold(node, one, other);
    }
    [[nodiscard]] std::vector<Value> runs(Node&, const Value& value) override { return {value}; }
    [[nodiscard]] Value whole(Node&, const Value& value) override { return value; }
    [[nodiscard]] Value cut(Node&, const Value& value, std::uint64_t, std::uint64_t) override { return value; }
    [[nodiscard]] Value cut(Node&, const Value& value, const PacketSet&) override { return value; }
    [[nodiscard]] Value concatenate(Node&, std::span<const Value* const> values) override { return *values.front(); }
    void result(Node&, const Value& value) override { results.push_back(value.element().bits); }
    void set_round(Round round) { round_ = round; }

    std::size_t ready = 0;
    bool asked_together = false;
    std::vector<SendRequest> started;
    std::vector<std::uint64_t> results;
    std::vector<PacketId> told;  ///< that they were received

  private:
    void received(Node&, const Arrival& arrival) override { told.push_back(arrival.packet().id()); }

    Machine machine_;
    Collective collective_;
};

/// One node, resumed by hand.
class ANode : public testing::Test {
  protected:
    ANode() { running = {&pool, &node}; }
    ~ANode() override {
        NodeAccess::clear(node, pool);
        running = {};
    }

    void start(Program program) { NodeAccess::leaf(node) = program.release(); }
    /// Resumes the innermost program until the node waits or its programs have ended.
    void resume() {
        NodeAccess::waiting(node) = Waiting::nothing;
        Program::Handle& leaf = NodeAccess::leaf(node);
        while (NodeAccess::waiting(node) == Waiting::nothing) {
            const Program::Handle now = leaf;
            now.resume();
            if (!now.done()) continue;
            if (!now.promise().caller) {
                ended = true;
                return;
            }
            leaf = now.promise().caller;
        }
    }
    void deliver(NodeId from, Port port, Round round, PacketId packet = 0) {
        NodeAccess::deliver(node, Arrival(from, port, round, Packet(packet)), pool);
    }
    [[nodiscard]] Waiting waiting() const { return NodeAccess::waiting(node); }

    FramePool pool;
    FakeHost host;
    Node node{host, 3};
    bool ended = false;
};

inline Program send_two(Node& self) {
    co_await self.send(0, Packet(7));
    co_await self.send_to(5, Packet(8));
}
inline Program receive_then_by_port_1(Node& self, std::vector<PacketId>& got) {
    const Arrival any = co_await self.receive();
    got.push_back(any.packet().id());
    const Arrival by_port = co_await self.receive(1);
    got.push_back(by_port.packet().id());
    co_await self.next_round();
    got.push_back(self.has_arrival() ? 1 : 0);
}
inline Program receive_from_4(Node& self, std::vector<PacketId>& got) {
    const Arrival arrival = co_await self.receive_from(4);
    got.push_back(arrival.packet().id());
}

}  // namespace kport::test
