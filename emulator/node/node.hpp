/// @file node.hpp   What a node program is written with: what `co_await` takes of a node (virtual_node.hpp).
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "emulator/base/types.hpp"
#include "emulator/node/virtual_node.hpp"

namespace KPORT_PUBLIC kport {

class Node::Send {
  public:
    Send(Node& node, SendRequest request) : node_(node), request_(request) { node.require_own(); }
    [[nodiscard]] bool await_ready() { return node_.host_->start(node_, {&request_, 1}, false).empty(); }
    void await_suspend(std::coroutine_handle<>) { node_.wait_to_send({&request_, 1}); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    SendRequest request_;
};

class Node::SendTogether {
  public:
    SendTogether(Node& node, std::span<const SendRequest> sends) : node_(node), left_(sends) { node.require_own(); }
    [[nodiscard]] bool await_ready() {
        left_ = node_.host_->start(node_, left_, true);
        return left_.empty();
    }
    void await_suspend(std::coroutine_handle<>) { node_.wait_to_send(left_); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    std::span<const SendRequest> left_;
};

class Node::Receive {
  public:
    Receive(Node& node, Waiting waiting, std::uint32_t awaited, bool serves = false)
        : node_(node), awaited_(awaited), waiting_(waiting), serves_(serves) {
        node.require_own();
        if (waiting != Waiting::for_message_from)
            node.asked_ |= waiting == Waiting::for_message_by ? Asked::by_port : Asked::any;
    }
    [[nodiscard]] bool await_ready() const { return is_ready(nullptr); }
    void await_suspend(std::coroutine_handle<>) { suspend(nullptr); }
    Arrival await_resume() { return take(nullptr); }

  protected:
    [[nodiscard]] bool is_ready(const void* list) const { return node_.has_at_once(waiting_, awaited_, list); }
    void suspend(const void* list) {
        node_.asked_ &= static_cast<std::uint8_t>(~Asked::serves);
        if (serves_) node_.asked_ |= Asked::serves;
        node_.wait(waiting_, awaited_, list);
    }
    Arrival take(const void* list) {
        Arrivals::Letter* letter = node_.arrivals_.take({list, awaited_, waiting_});
        Arrival arrival = std::move(letter->arrival);
        letter->~Letter();
        running.pool->deallocate(letter, sizeof(Arrivals::Letter));
        node_.host_->tell_received(node_, arrival);
        return arrival;
    }

  private:
    Node& node_;
    std::uint32_t awaited_;
    Waiting waiting_;
    bool serves_;
};

/// Apart from Receive, which stands in the frame of every program that receives, and is smaller.
class Node::ReceiveOneOf : private Receive {
  public:
    /// `list`: so many ports or senders.
    ReceiveOneOf(Node& node, Waiting waiting, std::size_t count, const void* list, bool serves = false)
        : Receive(node, waiting, static_cast<std::uint32_t>(count), serves), list_(list) {
        if (count == 0) node.refuse_no_choice(waiting);
    }
    [[nodiscard]] bool await_ready() const { return is_ready(list_); }
    void await_suspend(std::coroutine_handle<>) { suspend(list_); }
    Arrival await_resume() { return take(list_); }

  private:
    const void* list_;
};

class Node::NextRound {
  public:
    NextRound(Node& node, Round round) : node_(node), round_(round) { node.require_own(); }
    [[nodiscard]] bool await_ready() const { return round_ <= node_.host_->round(); }
    void await_suspend(std::coroutine_handle<>) { node_.wait(Waiting::for_round, round_); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    Round round_;
};

class Node::Join {
  public:
    Join(Node& node, std::uint32_t group) : node_(node), group_(group) { node.require_own(); }
    [[nodiscard]] bool await_ready() const;
    void await_suspend(std::coroutine_handle<>) { node_.wait(Waiting::for_strands, group_); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    std::uint32_t group_;
};

inline Node::Send Node::send(Port port, Cargo cargo) { return {*this, SendRequest(port, cargo)}; }
inline Node::Send Node::send_to(NodeId to, Cargo cargo) { return send_along(to, {}, cargo); }
inline Node::Send Node::send_along(NodeId to, std::span<const Port> route, Cargo cargo) {
    return {*this, SendRequest(to, route, cargo)};
}
inline Node::Send Node::pass(Port port, const PacketSet& packets) { return send(port, Cargo::passed(packets)); }
inline Node::Send Node::pass_to(NodeId to, const PacketSet& packets) { return send_to(to, Cargo::passed(packets)); }
inline Node::Send Node::pass_along(NodeId to, std::span<const Port> route, const PacketSet& packets) {
    return send_along(to, route, Cargo::passed(packets));
}
inline Node::SendTogether Node::send_together(std::span<const SendRequest> sends) { return {*this, sends}; }
inline Node::Receive Node::receive() { return {*this, Waiting::for_message, no_port}; }
inline Node::Receive Node::receive(Port port) {
    if (port == no_port) refuse_no_port();
    return {*this, Waiting::for_message_by, port};
}
inline Node::Receive Node::receive_from(NodeId sender) {
    return {*this, Waiting::for_message_from, sender < no_port ? static_cast<std::uint32_t>(sender) : no_port};
}
inline Node::ReceiveOneOf Node::receive(std::span<const Port> ports) {
    return {*this, Waiting::for_message_by_one_of, ports.size(), ports.data()};
}
inline Node::ReceiveOneOf Node::receive_from(std::span<const NodeId> senders) {
    return {*this, Waiting::for_message_from_one_of, senders.size(), senders.data()};
}
inline Node::Receive Node::serve() { return {*this, Waiting::for_message, no_port, true}; }
inline Node::Receive Node::serve(Port port) {
    if (port == no_port) refuse_no_port();
    return {*this, Waiting::for_message_by, port, true};
}
inline Node::ReceiveOneOf Node::serve(std::span<const Port> ports) {
    return {*this, Waiting::for_message_by_one_of, ports.size(), ports.data(), true};
}
inline Node::NextRound Node::next_round() { return {*this, round() + 1}; }
inline Node::NextRound Node::until(Round round) { return {*this, round}; }
template <std::same_as<Program>... Programs>
requires(sizeof...(Programs) > 0) Node::Join Node::when_all(Programs... programs) {
    const std::uint32_t group = new_group();
    (enlist(std::move(programs), group), ...);
    return {*this, group};
}

}  // namespace kport
