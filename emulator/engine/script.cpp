#include "emulator/engine/script.hpp"

#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/planned_parts.hpp"
#include "emulator/node/follower.hpp"

namespace kport {

namespace {

void require_followable(const Schedule& schedule, const Machine& machine, const Collective& collective) {
    if (collective.folds())
        require_well_formed(schedule, *machine.topology);  // a reduction is followed whatever it calls what moves
    else
        require_readable(schedule, machine, collective);
    if (const Round gap = schedule.first_gap(); gap != 0)
        throw RequestError(fmt::format(
            "round {} of the schedule has no transfer, which is illegal unless the schedule names it as silent", gap));
    constexpr std::size_t transfers_max = std::numeric_limits<decltype(Act::what)>::max();
    if (schedule.size() > transfers_max)
        throw DoesNotFit(
            fmt::format("nodes follow a schedule of fewer than 2^32 transfers; this has {}", schedule.size()));
}

/// A schedule as a plan: in a round a node first sends, then receives. Act::what is the number of the transfer.
class Script final : public Plan {
  public:
    Script(const Schedule& schedule, const Machine& machine, const Collective& collective, Naming naming, Sent sent,
           Routes routes)
        : schedule_(schedule), content_(content_of(collective, sent)), first_(machine.topology->nodes() + 1),
          names_routes_(routes == Routes::of_schedule || machine.topology->fabric() == nullptr) {
        require_followable(schedule, machine, collective);
        const NodeId nodes = machine.topology->nodes();
        if (collective.scans() || collective.own_folds() != nullptr)
            keeps_parts_ = keepers_of_parts(schedule, collective, nodes);
        else if (collective.folds() && naming == Naming::contributions)
            keeps_parts_ = senders_of_parts(schedule, collective, nodes);
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const Transfer transfer = schedule.transfer(i);
            ++first_[transfer.from + 1];
            ++first_[transfer.to + 1];
        }
        for (NodeId v = 0; v < nodes; ++v) first_[v + 1] += first_[v];
        acts_.resize(first_[nodes]);
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t begin = 0, end = 0; begin < schedule.size(); begin = end) {
            while (end < schedule.size() && schedule.round(end) == schedule.round(begin)) ++end;
            for (std::size_t i = begin; i < end; ++i)
                acts_[next[schedule.transfer(i).from]++] = sending(i, *machine.topology);
            for (std::size_t i = begin; i < end; ++i) receive(i, begin, next);
        }
    }

    [[nodiscard]] Act next_act(NodeId v, std::uint64_t& place, Port) const override {
        const std::size_t i = first_[v] + place;
        if (i == first_[v + 1]) return Act::end();
        ++place;
        return acts_[i];
    }
    [[nodiscard]] Content content() const override { return content_; }
    [[nodiscard]] PacketSet packets(NodeId, const Act& act) const override {
        PacketSet packets;
        packets.add(schedule_.transfer(act.what).packets);
        return packets;
    }
    [[nodiscard]] std::span<const Port> route(NodeId, const Act& act) const override {
        return names_routes_ ? schedule_.transfer(act.what).route : std::span<const Port>();
    }
    [[nodiscard]] bool keeps_parts(NodeId v) const override { return !keeps_parts_.empty() && keeps_parts_[v]; }

  private:
    [[nodiscard]] Program program(Node& self) const override {
        return following::program_of(self, *this, /*checked=*/false);
    }
    [[nodiscard]] static Content content_of(const Collective& collective, Sent sent) {
        if (collective.folds()) return Content::value;
        if (collective.one_packet()) return Content::only_packet;
        return sent == Sent::once ? Content::passed_packets : Content::packets;
    }
    [[nodiscard]] Act sending(std::size_t i, const Topology& topology) const {
        const Transfer transfer = schedule_.transfer(i);
        const Port port = transfer.route.front();
        const bool is_link = topology.fabric() == nullptr && transfer.route.size() == 1 &&
                             topology.across(transfer.from, port).node == transfer.to;
        const Round round = schedule_.round(i);
        Act act = is_link ? Act::send(port, i, round) : Act::send_to(transfer.to, i, round);
        act.result = content_ == Content::value && transfer.packets.front().first == topology.nodes();
        return act;
    }
    /// The transfers of its round begin with number `begin`: what comes in a round is folded together.
    void receive(std::size_t i, std::size_t begin, std::vector<std::size_t>& next) {
        const Transfer transfer = schedule_.transfer(i);
        std::size_t& at = next[transfer.to];
        if (at > first_[transfer.to])
            if (Act& before = acts_[at - 1]; !before.sends() && before.what >= begin)
                before.fold = Act::Fold::with_next;
        acts_[at] = Act::receive_from(transfer.from);
        acts_[at++].what = static_cast<std::uint32_t>(i);
    }

    const Schedule& schedule_;
    Content content_;
    std::vector<std::size_t> first_;  ///< by node, in acts_
    std::vector<Act> acts_;
    bool names_routes_;              ///< else messages name their hosts only
    std::vector<bool> keeps_parts_;  ///< by node; empty: none does
};

}  // namespace

Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective, Naming naming,
                  Sent sent, Routes routes) {
    require_packets(collective);
    require_topology(machine);
    return job_following(std::make_shared<const Script>(schedule, machine, collective, naming, sent, routes), machine,
                         collective);
}

bool follows_schedule(const Job& job) { return plan_of<Script>(job) != nullptr; }

}  // namespace kport
