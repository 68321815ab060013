#include "emulator/engine/script.hpp"

#include <coroutine>
#include <memory>
#include <span>
#include <utility>

#include "emulator/engine/kept_values.hpp"
#include "emulator/engine/script_steps.hpp"

namespace kport {

/// Naming, because g++ warns of coroutine templates of types without linkage.
namespace following {

/// A node on its way through its steps: an awaiter that waits as its first step does. It stands in the frame of every node, of
/// which there may be a million.
template <class Content>
class Follower {
  public:
    Follower(Node& self, const Script& script)
        : self_(self), script_(script), steps_(script.steps(self.id())), content_(self, script) {}

    [[nodiscard]] bool await_ready() {
        if (waiting_) go_on();  // the engine has sent it
        while (!steps_.empty()) {
            if (!(steps_.front().sends() ? has_sent() : has_received())) return false;
            go_on();
        }
        return true;
    }
    void await_suspend(std::coroutine_handle<> handle) {
        const ScriptStep& step = steps_.front();
        if (!step.sends())
            self_.receive_from(step.peer).await_suspend(handle);
        else if (waiting_)
            waiting_->send.await_suspend(handle);
        else
            self_.until(step.round).await_suspend(handle);
    }
    /// Whether all is done.
    [[nodiscard]] bool await_resume() const noexcept { return steps_.empty(); }

    [[nodiscard]] Content& content() { return content_; }

  private:
    using Carried = typename Content::Carried;
    /// A send that waits for a port, and what it carries. In a lawful schedule there is none.
    struct WaitingSend {
        WaitingSend(Node& self, const Script& script, const ScriptStep& step, Carried what)
            : carried(std::move(what)), send(self, script.request(step, Content::cargo(carried))) {}
        const Carried carried;
        Node::Send send;
    };

    void go_on() {
        waiting_.reset();
        steps_ = steps_.subspan(1);
    }
    [[nodiscard]] bool has_sent() {
        const ScriptStep& step = steps_.front();
        if (!self_.until(step.round).await_ready()) return false;
        Carried carried = content_.carried(self_, script_, step);
        if (Node::Send send(self_, script_.request(step, Content::cargo(carried))); send.await_ready()) return true;
        waiting_ = std::make_unique<WaitingSend>(self_, script_, step, std::move(carried));
        return false;
    }
    [[nodiscard]] bool has_received() {
        const ScriptStep& step = steps_.front();
        Node::Receive receive = self_.receive_from(step.peer);
        if (!receive.await_ready()) return false;
        const Arrival arrival = receive.await_resume();
        const bool last = steps_.size() == 1 || steps_[1].sends() || steps_[1].round != step.round;
        content_.take(self_, script_, arrival.value(), last);
        return true;
    }

    Node& self_;
    const Script& script_;
    std::span<const ScriptStep> steps_;  ///< that are left
    Content content_;
    std::unique_ptr<WaitingSend> waiting_;
};

/// Where packets move, what a node holds is the engine's to know.
struct OnePacket {
    using Carried = Packet;
    OnePacket(const Node&, const Script&) {}
    [[nodiscard]] static Packet carried(const Node&, const Script&, const ScriptStep&) { return Packet(0); }
    static Cargo cargo(const Packet& packet) { return packet; }
    static void take(const Node&, const Script&, const Value&, bool) {}
};
template <bool passes>
struct ManyPackets {
    using Carried = PacketSet;
    ManyPackets(const Node&, const Script&) {}
    [[nodiscard]] static PacketSet carried(const Node&, const Script& script, const ScriptStep& step) {
        return script.packets(step);
    }
    static Cargo cargo(const PacketSet& packets) {
        if constexpr (passes)
            return Cargo::passed(packets);
        else
            return packets;
    }
    static void take(const Node&, const Script&, const Value&, bool) {}
};

/// Where values move, it is the node's.
template <class Sum>
class ManyValues {
  public:
    using Carried = Value;
    ManyValues(Node& self, const Script& script) : kept_(self, script.keeps_parts(self.id())) {}
    [[nodiscard]] Value carried(Node& self, const Script& script, const ScriptStep& step) {
        return kept_.sent(
            self, [&] { return script.packets(step); }, step.result);
    }
    static Cargo cargo(const Value& value) { return value; }
    void take(Node& self, const Script&, const Value& came, bool last) { kept_.take(self, came, last); }
    void give(Node& self) { kept_.give(self); }

  private:
    KeptValues<Sum> kept_;
};

template <class Content>
Program follow_steps(Node& self, const Script& script) {
    Follower<Content> follower(self, script);
    bool over = false;
    while (!over) over = co_await follower;
    if constexpr (requires { follower.content().give(self); }) follower.content().give(self);
}

using Start = Program (*)(Node&, const Script&);

Start program_for(const Collective& collective, NodeId nodes, bool passes) {
    if (collective.segments(nodes) > 1) return follow_steps<ManyValues<SumsOfSegments>>;
    if (collective.folds()) return follow_steps<ManyValues<OneSum>>;
    if (collective.one_packet()) return follow_steps<OnePacket>;
    return passes ? follow_steps<ManyPackets<true>> : follow_steps<ManyPackets<false>>;
}

struct ScriptProgram {
    std::shared_ptr<const Script> script;
    Start follow;

    Program operator()(Node& self) const { return follow(self, *script); }
};

}  // namespace following

Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective, Naming naming,
                  Sent sent) {
    require_packets(collective);
    require_topology(machine);
    const auto script = std::make_shared<const Script>(schedule, machine, collective, naming);
    Job job;
    job.machine = machine;
    job.collective = collective;
    script->list_starters(job);
    job.others_receive = true;
    const auto follow = following::program_for(collective, machine.topology->nodes(), sent == Sent::once);
    job.program = following::ScriptProgram{script, follow};
    return job;
}

bool follows_schedule(const Job& job) { return job.program.target<following::ScriptProgram>() != nullptr; }

}  // namespace kport
