#include "emulator/node/plan.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/node/follower.hpp"

namespace kport {

namespace {

std::string text_of(const Act& act) {
    switch (act.kind) {
        case Act::Kind::send: return fmt::format("send {} by port {}", act.what, act.where);
        case Act::Kind::send_to: return fmt::format("send {} to node {}", act.what, act.where);
        case Act::Kind::receive:
            return act.where == no_port ? "receive by any port" : fmt::format("receive by port {}", act.where);
        case Act::Kind::receive_from: return fmt::format("receive from node {}", act.where);
        case Act::Kind::end: break;
    }
    return "end";
}

}  // namespace

namespace following {

void GivenAct::refuse(std::string_view why) const {
    throw std::invalid_argument(fmt::format("act {} of the plan of node {}, {}: {}", number,
                                            self.topology().name(self.id()), text_of(act), why));
}

void GivenAct::require_one_answer(std::uint64_t before, std::uint64_t after, Port in) const {
    std::uint64_t place = before;
    const Act again = plan.next_act(self.id(), place, in);
    if (again == act && place == after) return;
    refuse(fmt::format(
        "asked again at place {}, the plan says {}, not before round {}, and goes to place {} instead of {}; "
        "want one answer to one question",
        before, text_of(again), again.not_before, place, after));
}

void GivenAct::require_end(std::uint64_t before, std::uint64_t after) const {
    if (act.sends() && before == after)
        refuse(
            fmt::format("the place stays {}, so that this act comes again without an end; want another place", after));
    if (number > plan_acts_max)
        refuse(fmt::format("a plan has at most {} acts of a node; want an end before", plan_acts_max));
}

void GivenAct::require_link() const {
    const Topology& topology = self.topology();
    if (act.kind == Act::Kind::end || (act.kind == Act::Kind::receive && act.where == no_port)) return;
    if (act.kind == Act::Kind::send || act.kind == Act::Kind::receive) {
        if (self.neighbour(act.where) == no_node)
            refuse(fmt::format("the node has no such port; want one of its {}", self.degree()));
        return;
    }
    if (act.where >= self.nodes() || act.where == self.id())
        refuse(fmt::format("want another node, of 0 to {}", self.nodes() - 1));
    if (!self.machine().has_paths() && topology.port_to(self.id(), act.where) == no_port)
        refuse("the nodes are no neighbours; want a node that a link leads to");
}

void GivenAct::require_same(const PacketSet& packets) const {
    const PacketSet again = plan.packets(self.id(), act);
    if (again.size() != packets.size() || !packets.covers(again.blocks()))
        refuse("asked again, the plan names other packets; want one answer to one question");
}

Program program_of(Node& self, const Plan& plan, bool checked) {
    switch (plan.content()) {
        case Plan::Content::packet: return follow_acts(Follower<OnePacket<false>>(self, plan, checked));
        case Plan::Content::only_packet: return follow_acts(Follower<OnePacket<true>>(self, plan, checked));
        case Plan::Content::packets: return follow_acts(Follower<ManyPackets<false>>(self, plan, checked));
        case Plan::Content::passed_packets: return follow_acts(Follower<ManyPackets<true>>(self, plan, checked));
        case Plan::Content::relayed_value: return follow_acts(Follower<RelayedValues>(self, plan, checked));
        case Plan::Content::value: break;
    }
    // One sum begins with the contribution, which a node that only passes on does not have.
    return self.collective().segments(self.nodes()) > 1 || self.collective().members != nullptr ||
                   self.collective().is_own()
               ? follow_acts(Follower<ManyValues<SumsOfSegments>>(self, plan, checked))
               : follow_acts(Follower<ManyValues<OneSum>>(self, plan, checked));
}

}  // namespace following

Program Plan::program(Node& self) const { return following::program_of(self, *this, /*checked=*/true); }

PlanProgram::PlanProgram(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
    if (plan_ == nullptr) throw RequestError("the program of a job follows no plan; want a Plan");
}

}  // namespace kport
