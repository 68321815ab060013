#include "emulator/engine/script.hpp"

#include <algorithm>
#include <coroutine>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/fold_order.hpp"

namespace kport {

namespace {

/// One act of a node.
struct ScriptStep {
    Round round;
    std::uint32_t peer;  ///< to whom it sends, or from whom it receives
    Port port;           ///< by which it sends over one link; else along_route or receives
    std::uint32_t transfer : 31;
    bool whole : 1;  ///< the message carries the result of a reduction

    static constexpr std::uint32_t transfers_max = std::uint32_t{1} << 31;
    static constexpr Port receives = no_port;
    static constexpr Port along_route = no_port - 1;
    [[nodiscard]] bool sends() const { return port != receives; }
};
static_assert(sizeof(ScriptStep) == 16);

/// What each node does, in order: in a round it first sends, then receives.
class Script {
  public:
    Script(const Schedule& schedule, const Machine& machine, const Collective& collective)
        : schedule_(schedule), collective_(collective), nodes_(machine.topology->nodes()), first_(nodes_ + 1) {
        require_followable(*machine.topology);
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const Transfer transfer = schedule.transfer(i);
            ++first_[transfer.from + 1];
            ++first_[transfer.to + 1];
        }
        for (NodeId v = 0; v < nodes_; ++v) first_[v + 1] += first_[v];
        steps_.resize(first_[nodes_]);
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t begin = 0, end = 0; begin < schedule.size(); begin = end) {
            while (end < schedule.size() && schedule.round(end) == schedule.round(begin)) ++end;
            for (std::size_t i = begin; i < end; ++i)
                steps_[next[schedule.transfer(i).from]++] = sending(i, *machine.topology);
            for (std::size_t i = begin; i < end; ++i) steps_[next[schedule.transfer(i).to]++] = receiving(i);
        }
    }

    [[nodiscard]] std::span<const ScriptStep> steps(NodeId v) const {
        return {steps_.data() + first_[v], first_[v + 1] - first_[v]};
    }
    [[nodiscard]] SendRequest request(const ScriptStep& step, Cargo cargo) const {
        if (step.port != ScriptStep::along_route) return {step.port, cargo};
        return {step.peer, schedule_.transfer(step.transfer).route, cargo};
    }
    /// The segments whose values the step sends.
    [[nodiscard]] PacketSet segments(const ScriptStep& step) const {
        return rows_of(schedule_.transfer(step.transfer).packets);
    }
    /// The segments of the result that the node owes.
    [[nodiscard]] PacketSet segments_due(NodeId v) const { return rows_of(collective_.wanted(v, nodes_).blocks()); }
    [[nodiscard]] PacketSet packets(const ScriptStep& step) const {
        PacketSet packets;
        packets.add(schedule_.transfer(step.transfer).packets);
        return packets;
    }
    [[nodiscard]] bool scans() const { return collective_.scans(); }
    [[nodiscard]] bool is_last(NodeId v) const { return v + 1 == nodes_; }

    /// The nodes that do not wait for a message first, and for which round they wait.
    void list_starters(Job& job) const {
        for (NodeId v = 0; v < nodes_; ++v) {
            const auto own = steps(v);
            const PacketBlock contributed =
                packets_of(Progression{static_cast<std::uint32_t>(v)}, collective_.segments(nodes_));
            if (own.empty() ? !gives(v, {&contributed, 1}) : !own.front().sends()) continue;
            job.starters.push_back(v);
            job.starters_wait_until.push_back(own.empty() ? 1 : own.front().round);
        }
    }
    /// Whether the node returns the value of these contributions as its result at the end.
    [[nodiscard]] bool gives(NodeId v, std::span<const PacketBlock> contributions) const {
        if (collective_.inwards()) return v == collective_.root;
        if (contributions.front().first == nodes_) return !scans() || is_last(v);
        return collective_.folds() && size_of(contributions) == collective_.wanted(v, nodes_).size();
    }

  private:
    void require_followable(const Topology& topology) const {
        require_well_formed(schedule_, topology);
        if (const Round gap = schedule_.first_gap(); gap != 0)
            throw RequestError(fmt::format(
                "round {} of the schedule has no transfer, which is illegal unless the schedule names it as silent",
                gap));
        if (schedule_.size() > ScriptStep::transfers_max)
            throw DoesNotFit(
                fmt::format("programs follow a schedule of at most 2^31 transfers; this has {}", schedule_.size()));
    }

    [[nodiscard]] ScriptStep sending(std::size_t i, const Topology& topology) const {
        const Transfer transfer = schedule_.transfer(i);
        const Port port = transfer.route.front();
        const bool is_link = transfer.route.size() == 1 && topology.across(transfer.from, port).node == transfer.to;
        return step(i, transfer, transfer.to, is_link ? port : ScriptStep::along_route);
    }
    [[nodiscard]] ScriptStep receiving(std::size_t i) const {
        const Transfer transfer = schedule_.transfer(i);
        return step(i, transfer, transfer.from, ScriptStep::receives);
    }
    [[nodiscard]] ScriptStep step(std::size_t i, const Transfer& transfer, NodeId peer, Port port) const {
        const bool whole = collective_.folds() && transfer.packets.front().first == nodes_;
        return {schedule_.round(i), static_cast<std::uint32_t>(peer), port,
                static_cast<std::uint32_t>(i) & (ScriptStep::transfers_max - 1), whole};
    }

    const Schedule& schedule_;
    Collective collective_;
    NodeId nodes_;
    std::vector<std::size_t> first_;  ///< by node, in steps_
    std::vector<ScriptStep> steps_;
};

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
            : carried(std::move(what)), send(self, script.request(step, carried)) {}
        const Carried carried;
        Node::Send send;
    };

    void go_on() {
        waiting_.reset();
        steps_ = steps_.subspan(1);
    }
    [[nodiscard]] bool has_sent() {
        const ScriptStep& step = steps_.front();
        if (self_.round() < step.round) return false;
        Carried carried = content_.carried(self_, script_, step);
        if (Node::Send send(self_, script_.request(step, carried)); send.await_ready()) return true;
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
    static void take(const Node&, const Script&, const Value&, bool) {}
};
struct ManyPackets {
    using Carried = PacketSet;
    ManyPackets(const Node&, const Script&) {}
    [[nodiscard]] static PacketSet carried(const Node&, const Script& script, const ScriptStep& step) {
        return script.packets(step);
    }
    static void take(const Node&, const Script&, const Value&, bool) {}
};

/// Calls visit(contributions), as blocks.
template <class Visit>
auto on_contributions(const Value& value, Visit&& visit) {
    if (!value.is_element()) return visit(value.body()->blocks());
    const PacketBlock block = value.element().block();
    return visit(std::span<const PacketBlock>(&block, 1));
}

std::uint32_t lowest(const Value& value) {
    return on_contributions(value, [](std::span<const PacketBlock> blocks) { return lowest_of(blocks); });
}

/// Sorts the values that came to a node in one round into the order in which it folds them.
void put_in_order(NodeId v, std::vector<Value>& coming) {
    std::ranges::stable_sort(coming, {}, [&](const Value& came) { return place_in_order(v, lowest(came)); });
}

bool is_whole(const Node& self, const Value& value) {
    return on_contributions(value,
                            [&](std::span<const PacketBlock> blocks) { return blocks.front().first == self.nodes(); });
}

/// What a node of a reduction has folded so far.
class Folding {
  public:
    using Carried = Value;
    Folding(Node& self, const Script& script) : total_(self.contribution()) {
        if (!script.scans()) return;
        more().prefix = total_;
        more().parts.push_back(total_);
    }

    /// The value that the step sends.
    [[nodiscard]] Value carried(Node& self, const Script& script, const ScriptStep& step) const {
        if (step.whole) return self.whole(total_);
        return script.scans() ? part(self, script.packets(step)) : total_;
    }
    /// A value has come; `last`: all have come of a round.
    void take(Node& self, const Script& script, const Value& came, bool last) {
        if (last && (more_ == nullptr || more_->coming.empty())) {
            fold_in(self, script, came);
            return;
        }
        std::vector<Value>& coming = more().coming;
        coming.push_back(came);
        if (!last) return;
        put_in_order(self.id(), coming);
        for (const Value& value : coming) fold_in(self, script, value);
        coming.clear();
    }
    /// Gives the node's result, if it has one.
    void give(Node& self, const Script& script) const {
        const Value& result = script.scans() ? more_->prefix : total_;
        const auto gives = [&](std::span<const PacketBlock> blocks) { return script.gives(self.id(), blocks); };
        if (on_contributions(result, gives)) self.result(result);
    }

  private:
    /// What few nodes need.
    struct More {
        Value prefix;               ///< scan: of the contributions up to the node's own
        std::vector<Value> parts;   ///< scan: its contribution, and what came
        std::vector<Value> coming;  ///< in the round at hand
    };
    [[nodiscard]] More& more() {
        if (more_ == nullptr) more_ = std::make_unique<More>();
        return *more_;
    }

    /// In a scan a node also sends what stands before others: some of its parts.
    [[nodiscard]] Value part(Node& self, const PacketSet& wanted) const {
        const auto size = [](std::span<const PacketBlock> blocks) { return size_of(blocks); };
        if (wanted.size() == on_contributions(total_, size)) return total_;
        const auto is_wanted = [&](std::span<const PacketBlock> blocks) { return wanted.covers(blocks); };
        std::vector<Value> some;
        for (const Value& each : more_->parts)
            if (on_contributions(each, is_wanted)) some.push_back(each);
        if (some.empty()) return total_;
        std::ranges::stable_sort(some, {}, lowest);
        Value sum = some.front();
        for (std::size_t i = 1; i < some.size(); ++i) sum = self.fold(sum, some[i]);
        return sum;
    }

    void fold_in(Node& self, const Script& script, const Value& came) {
        const NodeId v = self.id();
        const auto is_before = [&](std::span<const PacketBlock> blocks) {
            return std::ranges::all_of(blocks, [&](const PacketBlock& block) { return block.columns().last() < v; });
        };
        const bool whole = is_whole(self, came);
        if (script.scans()) {
            more_->parts.push_back(came);
            if (whole && script.is_last(v)) more_->prefix = came;
            if (!whole && on_contributions(came, is_before)) more_->prefix = self.merge(came, more_->prefix);
        }
        total_ = whole ? came : self.merge(came, total_);
    }

    Value total_;
    std::unique_ptr<More> more_;
};

/// The same of several segments, of which a message carries some: the values of runs of segments that came together so far. Of
/// what has not been touched yet that is the node's contribution, which is made when it is asked for.
class FoldingSegments {
  public:
    using Carried = Value;
    FoldingSegments(Node&, const Script&) : runs_{{0, std::nullopt}} {}

    [[nodiscard]] Value carried(Node& self, const Script& script, const ScriptStep& step) {
        return *joined(self, script.segments(step), step.whole);
    }
    void take(Node& self, const Script&, const Value& came, bool last) {
        coming_.push_back(came);
        if (!last) return;
        put_in_order(self.id(), coming_);
        for (const Value& value : coming_) fold_in(self, value);
        coming_.clear();
    }
    void give(Node& self, const Script& script) {
        const bool has_results = std::ranges::any_of(
            runs_, [&](const auto& entry) { return entry.second.has_value() && is_whole(self, *entry.second); });
        const std::optional<Value> all = joined(self, script.segments_due(self.id()), has_results);
        if (all &&
            on_contributions(*all, [&](std::span<const PacketBlock> some) { return script.gives(self.id(), some); }))
            self.result(*all);
    }

  private:
    using Runs = std::map<std::uint32_t, std::optional<Value>>;

    /// The value of some segments, or their results, which the node may have folded itself; nothing of none.
    std::optional<Value> joined(Node& self, const PacketSet& segments, bool results) {
        std::vector<Value> parts;
        for (const PacketBlock& block : segments.blocks())
            for_each_range(block.columns(), [&](std::uint32_t first, std::uint32_t count) {
                for_each_run(self, first, count, [&](std::uint32_t, std::uint32_t, Value& run) {
                    parts.push_back(results ? self.whole(run) : run);
                });
            });
        if (parts.size() <= 1) return parts.empty() ? std::nullopt : std::optional(parts.front());
        std::vector<const Value*> all;
        for (const Value& part : parts) all.push_back(&part);
        return self.join(all);
    }
    /// Calls visit(first, count) for the ranges that a progression is made of.
    template <class Visit>
    static void for_each_range(const Progression& p, const Visit& visit) {
        if (p.stride <= 1) return visit(p.first, p.count);
        for (std::uint32_t i = 0; i < p.count; ++i) visit(p[i], 1U);
    }
    /// Calls visit(first, count, value) for the runs that make up the segments first to first + count - 1, cut where these begin and end.
    template <class Visit>
    void for_each_run(Node& self, std::uint32_t first, std::uint32_t count, const Visit& visit) {
        const auto begin = run_from(self, first);
        const auto end = run_from(self, first + count);
        for (auto run = begin; run != end;) {
            const auto [here, value] = std::pair(run->first, &run->second);
            const std::uint32_t beyond = ++run == runs_.end() ? first_beyond(self) : run->first;
            if (!value->has_value()) *value = self.contribution(PacketSet::range(here, beyond));
            visit(here, beyond - here, **value);
        }
    }
    /// The run that begins with the segment.
    Runs::iterator run_from(Node& self, std::uint32_t segment) {
        const auto after = runs_.upper_bound(segment);
        const auto run = std::prev(after);
        if (segment == first_beyond(self)) return runs_.end();
        if (run->first == segment) return run;
        if (!run->second) return runs_.emplace_hint(after, segment, std::nullopt);
        const std::uint32_t end = after == runs_.end() ? first_beyond(self) : after->first;
        Value upper = self.cut(*run->second, segment, end - segment);
        run->second = self.cut(*run->second, run->first, segment - run->first);
        return runs_.emplace_hint(after, segment, std::move(upper));
    }
    static std::uint32_t first_beyond(const Node& self) {
        return static_cast<std::uint32_t>(self.collective().segments(self.nodes()));
    }
    void fold_in(Node& self, const Value& came) {
        const PacketSet segments =
            on_contributions(came, [](std::span<const PacketBlock> some) { return rows_of(some); });
        for (const PacketBlock& block : segments.blocks())
            for_each_range(block.columns(), [&](std::uint32_t first, std::uint32_t count) {
                for_each_run(self, first, count, [&](std::uint32_t at, std::uint32_t some, Value& run) {
                    const Value part = self.cut(came, at, some);
                    run = is_whole(self, came) ? part : self.merge(part, run);
                });
            });
    }

    Runs runs_;                  ///< by their first segment
    std::vector<Value> coming_;  ///< in the round at hand
};

Program move_packet(Node& self, const Script& script) {
    Follower<OnePacket> follower(self, script);
    bool over = false;
    while (!over) over = co_await follower;
}

Program move_packets(Node& self, const Script& script) {
    Follower<ManyPackets> follower(self, script);
    bool over = false;
    while (!over) over = co_await follower;
}

Program move_values(Node& self, const Script& script) {
    Follower<Folding> follower(self, script);
    bool over = false;
    while (!over) over = co_await follower;
    follower.content().give(self, script);
}

Program move_segments(Node& self, const Script& script) {
    Follower<FoldingSegments> follower(self, script);
    bool over = false;
    while (!over) over = co_await follower;
    follower.content().give(self, script);
}

}  // namespace

Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective) {
    require_packets(collective);
    require_topology(machine);
    const std::uint64_t segments = collective.segments(machine.topology->nodes());
    if (collective.scans() && segments > 1)
        throw RequestError(
            fmt::format("a schedule of a scan of {} segments can be audited, and not followed; want 1", segments));
    const auto script = std::make_shared<const Script>(schedule, machine, collective);
    Job job;
    job.machine = machine;
    job.collective = collective;
    script->list_starters(job);
    job.others_receive = true;
    if (segments > 1)
        job.program = [script](Node& self) { return move_segments(self, *script); };
    else if (collective.folds())
        job.program = [script](Node& self) { return move_values(self, *script); };
    else if (collective.one_packet())
        job.program = [script](Node& self) { return move_packet(self, *script); };
    else
        job.program = [script](Node& self) { return move_packets(self, *script); };
    return job;
}

}  // namespace kport
