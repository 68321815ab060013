#include "emulator/node/relay.hpp"

#include "emulator/node/node.hpp"
#include "emulator/node/pieces.hpp"

namespace kport {

namespace {

/// The acts of a relay: fewer instructions a message than a follower.
Program relay_values(Node& self, const SegmentRelay& plan) {
    const unsigned folding_steps = plan.known_folding_steps();
    const unsigned steps = plan.known_steps();
    const std::uint32_t first = plan.first_segment(self.id());
    Value sent = self.contribution(PacketSet::range(first, std::uint64_t{first} + 1));
    Pieces results;
    for (unsigned step = 0; step < steps; ++step) {
        if (step == folding_steps) {
            sent = self.whole(sent);
            results.add(self, sent, segments_of(sent));
        }
        const ValueExchange::Ports ports = plan.known_ports(step);
        co_await self.send(ports.out, sent);
        const Arrival arrival = co_await self.receive(ports.in);
        sent = arrival.value();
        if (step < folding_steps)
            sent = self.merge(sent, self.contribution(segments_of(sent)));
        else
            results.add(self, sent, segments_of(sent));
    }
    const bool has_all = folding_steps < steps;
    self.result(has_all ? results.give(self, PacketSet::range(0, self.collective().segments(self.nodes()))) : sent);
}

}  // namespace

Act SegmentRelay::send(NodeId v, unsigned step, Port out) const {
    Act act = Act::send(out, step == 0 ? first_segment(v) : 0);
    act.result = step == known_folding_steps();
    return act;
}

Program SegmentRelay::program(Node& self) const { return relay_values(self, *this); }

}  // namespace kport
