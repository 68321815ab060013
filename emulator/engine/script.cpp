#include "emulator/engine/script.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/fold_order.hpp"

namespace kport {

namespace {

/// What each node does, in order: in a round it first sends, then receives.
class Script {
  public:
    struct Step {
        std::uint32_t transfer;
        bool sends;
    };

    Script(const Schedule& schedule, const Machine& machine, const Collective& collective)
        : schedule_(schedule), collective_(collective), nodes_(machine.topology->nodes()), first_(nodes_ + 1) {
        require_well_formed(schedule, *machine.topology);
        if (const Round gap = schedule.first_gap(); gap != 0)
            throw RequestError(fmt::format(
                "round {} of the schedule has no transfer, which is illegal unless the schedule names it as silent",
                gap));
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            ++first_[schedule.transfer(i).from + 1];
            ++first_[schedule.transfer(i).to + 1];
        }
        for (NodeId v = 0; v < nodes_; ++v) first_[v + 1] += first_[v];
        steps_.resize(first_[nodes_]);
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t begin = 0, end = 0; begin < schedule.size(); begin = end) {
            while (end < schedule.size() && schedule.round(end) == schedule.round(begin)) ++end;
            const auto add = [&](NodeId v, std::size_t i, bool sends) {
                steps_[next[v]++] = {static_cast<std::uint32_t>(i), sends};
            };
            for (std::size_t i = begin; i < end; ++i) add(schedule.transfer(i).from, i, true);
            std::vector<std::size_t> coming(end - begin);
            std::iota(coming.begin(), coming.end(), begin);
            if (collective.folds())
                std::ranges::stable_sort(coming, {}, [&](std::size_t i) {
                    const Transfer transfer = schedule.transfer(i);
                    return place_in_order(transfer.to, lowest_of(transfer.packets));
                });
            for (const std::size_t i : coming) add(schedule.transfer(i).to, i, false);
        }
    }

    [[nodiscard]] std::span<const Step> steps(NodeId v) const {
        return {steps_.data() + first_[v], first_[v + 1] - first_[v]};
    }
    [[nodiscard]] Transfer transfer(const Step& step) const { return schedule_.transfer(step.transfer); }
    [[nodiscard]] Round round(const Step& step) const { return schedule_.round(step.transfer); }
    [[nodiscard]] bool carries_result(const Transfer& transfer) const {
        return transfer.packets.front() == result_packet(nodes_);
    }
    /// True if the node returns its value as its result at the end.
    [[nodiscard]] bool gives(NodeId v, const Value& value) const {
        if (collective_.inwards()) return v == collective_.root;
        const PacketSet has = value.contributions();
        return has.size() == nodes_ || (has.is_block() && has.block() == result_packet(nodes_));
    }
    [[nodiscard]] bool one_packet() const { return collective_.one_packet(); }

  private:
    const Schedule& schedule_;
    Collective collective_;
    NodeId nodes_;
    std::vector<std::size_t> first_;  ///< by node, in steps_
    std::vector<Step> steps_;
};

std::uint32_t lowest(const Value& value) {
    const PacketSet contributions = value.contributions();
    return lowest_of(contributions.blocks());
}

Program move_packets(Node& self, const Script& script) {
    for (const Script::Step& step : script.steps(self.id())) {
        const Transfer transfer = script.transfer(step);
        if (!step.sends) {
            co_await self.receive_from(transfer.from);
            continue;
        }
        while (self.round() < script.round(step)) co_await self.next_round();
        if (script.one_packet()) {
            co_await self.send_along(transfer.to, transfer.route, Packet(0));
        } else {
            PacketSet packets;
            packets.add(transfer.packets);
            co_await self.send_along(transfer.to, transfer.route, packets);
        }
    }
}

Program move_values(Node& self, const Script& script) {
    Value total = self.contribution();
    for (const Script::Step& step : script.steps(self.id())) {
        const Transfer transfer = script.transfer(step);
        const bool whole = script.carries_result(transfer);
        if (!step.sends) {
            const Arrival arrival = co_await self.receive_from(transfer.from);
            const Value& came = arrival.value();
            if (whole)
                total = came;
            else
                total = lowest(came) < lowest(total) ? self.fold(came, total) : self.fold(total, came);
            continue;
        }
        while (self.round() < script.round(step)) co_await self.next_round();
        if (whole) {
            const Value result = self.whole(total);
            co_await self.send_along(transfer.to, transfer.route, result);
        } else {
            co_await self.send_along(transfer.to, transfer.route, total);
        }
    }
    if (script.gives(self.id(), total)) self.result(total);
}

}  // namespace

Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective) {
    require_packets(collective);
    const auto script = std::make_shared<const Script>(schedule, machine, collective);
    Job job;
    job.machine = machine;
    job.collective = collective;
    job.all_start = true;
    if (collective.folds())
        job.program = [script](Node& self) { return move_values(self, *script); };
    else
        job.program = [script](Node& self) { return move_packets(self, *script); };
    return job;
}

}  // namespace kport
