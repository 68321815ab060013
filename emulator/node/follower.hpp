/// @file follower.hpp   The coroutine that follows a plan.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "emulator/node/kept_values.hpp"
#include "emulator/node/node.hpp"
#include "emulator/node/plan.hpp"

namespace kport {

/// Named, because g++ warns of coroutine templates of types without linkage.
namespace following {

/// An act that a node has been given, to be checked. Each check throws std::invalid_argument, with node and act.
struct GivenAct {
    const Node& self;
    const Plan& plan;
    const Act& act;
    std::uint32_t number;  ///< of the node's acts, from 1

    void require_one_answer(std::uint64_t before, std::uint64_t after, Port in) const;
    void require_end(std::uint64_t before, std::uint64_t after) const;
    /// A link by that port, or to that node; on a wormhole machine any other node will do.
    void require_link() const;
    void require_same(const PacketSet& packets) const;

  private:
    [[noreturn]] void refuse(std::string_view why) const;
};

/// What the messages of a plan carry. What a node holds of packets only the engine needs to know.
template <bool only>
struct OnePacket {
    using Carried = Packet;
    OnePacket(Node&, const Plan&) {}
    [[nodiscard]] static Packet carried(const Node&, const Plan&, const Act& act) {
        return Packet(only ? 0 : act.what);
    }
    static Cargo cargo(const Packet& packet) { return packet; }
    static void take(const Node&, const Value&, Act::Fold) {}
};
template <bool passes>
struct ManyPackets {
    using Carried = PacketSet;
    ManyPackets(Node&, const Plan&) {}
    template <class Kind>
    [[nodiscard]] static PacketSet carried(const Node& self, const Kind& plan, const Act& act) {
        return plan.packets(self.id(), act);
    }
    static Cargo cargo(const PacketSet& packets) { return passes ? Cargo::passed(packets) : Cargo(packets); }
    static void take(const Node&, const Value&, Act::Fold) {}
};
template <class Sum>
class ManyValues {
  public:
    using Carried = Value;
    ManyValues(Node& self, const Plan& plan) : kept_(self, plan.keeps_parts(self.id())) {}
    [[nodiscard]] Value carried(Node& self, const Plan& plan, const Act& act) {
        return kept_.sent(
            self, [&] { return plan.packets(self.id(), act); }, act.result);
    }
    static Cargo cargo(const Value& value) { return value; }
    void take(Node& self, const Value& came, Act::Fold fold) { kept_.take(self, came, fold); }
    void give(Node& self) { kept_.give(self); }

  private:
    KeptValues<Sum> kept_;
};

/// A node on its way through its acts: an awaiter that waits as the act at hand does. It stands in the frame of every node, of
/// which there may be a million.
template <class Content, class Kind = Plan>
class Follower {
  public:
    /// `checked`: each question is asked twice.
    Follower(Node& self, const Kind& plan, bool checked = false)
        : self_(self), plan_(plan), content_(self, plan), number_(checked ? 1 : 0) {
        ask();
    }

    /// Does what can be done without waiting. True if all is done.
    [[nodiscard]] bool await_ready() {
        if (waiting_ != nullptr) {  // the engine has sent it
            waiting_.reset();
            ask();
        }
        for (; act_.kind != Act::Kind::end; ask())
            if (is_early() || !(act_.sends() ? has_sent() : has_received())) return false;
        return true;
    }
    void await_suspend(std::coroutine_handle<> handle) {
        if (waiting_ != nullptr) return waiting_->send.await_suspend(handle);
        if (is_early()) return self_.until(act_.not_before).await_suspend(handle);
        receive().await_suspend(handle);
    }
    void await_resume() const noexcept {}

    [[nodiscard]] bool is_over() const { return act_.kind == Act::Kind::end; }
    [[nodiscard]] Content& content() { return content_; }
    [[nodiscard]] Node& self() { return self_; }

  private:
    using Carried = typename Content::Carried;
    /// A send that waits for a port, and what it carries; apart, because most do not wait.
    struct WaitingSend {
        WaitingSend(Node& self, const Follower& follower, Carried what)
            : carried(std::move(what)), send(self, follower.request(Content::cargo(carried))) {}
        static void* operator new(std::size_t bytes) { return running.pool->allocate(bytes); }
        static void operator delete(void* memory, std::size_t bytes) { running.pool->deallocate(memory, bytes); }

        const Carried carried;
        Node::Send send;
    };

    [[nodiscard]] bool is_early() const { return act_.not_before > 1 && !self_.until(act_.not_before).await_ready(); }
    void ask() {
        const std::uint64_t before = place_;
        act_ = plan_.next_act(self_.id(), place_, in_);
        if (number_ == 0) return;
        const GivenAct given{self_, plan_, act_, number_++};
        given.require_one_answer(before, place_, in_);
        given.require_end(before, place_);
        given.require_link();
    }
    [[nodiscard]] SendRequest request(Cargo cargo) const {
        if (act_.kind == Act::Kind::send) return {Port{act_.where}, cargo};
        return {NodeId{act_.where}, plan_.route(self_.id(), act_), cargo};
    }
    [[nodiscard]] Node::Receive receive() {
        if (act_.kind == Act::Kind::receive_from) return self_.receive_from(NodeId{act_.where});
        return act_.where == no_port ? self_.receive() : self_.receive(Port{act_.where});
    }
    [[nodiscard]] bool has_sent() {
        Carried carried = content_.carried(self_, plan_, act_);
        if constexpr (std::is_same_v<Carried, PacketSet>)
            if (number_ != 0) GivenAct{self_, plan_, act_, number_ - 1}.require_same(carried);
        if (Node::Send send(self_, request(Content::cargo(carried))); send.await_ready()) return true;
        waiting_.reset(new WaitingSend(self_, *this, std::move(carried)));
        return false;
    }
    [[nodiscard]] bool has_received() {
        Node::Receive receive = this->receive();
        if (!receive.await_ready()) return false;
        const Arrival arrival = receive.await_resume();
        in_ = arrival.port;
        content_.take(self_, arrival.value(), act_.fold);
        return true;
    }

    Node& self_;
    const Kind& plan_;
    [[no_unique_address]] Content content_;
    Act act_;  ///< at hand
    std::uint64_t place_ = 0;
    Port in_ = no_port;
    std::uint32_t number_;  ///< of the next act, from 1; 0: the plan is not checked
    std::unique_ptr<WaitingSend> waiting_;
};

/// Its only parameter, because a frame keeps what a coroutine is given.
template <class Content, class Kind>
Program follow_acts(Follower<Content, Kind> follower) {
    while (!follower.is_over()) co_await follower;
    if constexpr (requires { follower.content().give(follower.self()); }) follower.content().give(follower.self());
}

/// The program of a node that follows any plan. `checked`: it asks each question twice.
[[nodiscard]] Program program_of(Node& self, const Plan& plan, bool checked);

}  // namespace following

}  // namespace kport
