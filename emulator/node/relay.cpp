#include "emulator/node/relay.hpp"

#include "emulator/node/node.hpp"
#include "emulator/node/pieces.hpp"

namespace kport {

namespace {

PacketSet segments_of(const Value& value) {
    const PacketSet contributions = value.contributions();
    return rows_of(contributions.blocks());
}

Program relay_values(Node& self, const SegmentRelay& relay) {
    const std::uint32_t first = relay.first_segment(self.id());
    Value sent = self.contribution(PacketSet::range(first, first + 1));
    Pieces results;
    for (unsigned step = 0; step < relay.steps(); ++step) {
        if (step == relay.folding_steps()) {
            sent = self.whole(sent);
            results.add(self, sent, segments_of(sent));
        }
        const SegmentRelay::Ports ports = relay.ports(step);
        co_await self.send(ports.out, sent);
        const Arrival arrival = co_await self.receive(ports.in);
        sent = arrival.value();
        if (step < relay.folding_steps())
            sent = self.merge(sent, self.contribution(segments_of(sent)));
        else
            results.add(self, sent, segments_of(sent));
    }
    const bool has_all = relay.folding_steps() < relay.steps();
    self.result(has_all ? results.give(self, PacketSet::range(0, self.collective().segments(self.nodes()))) : sent);
}

}  // namespace

Program RelayProgram::operator()(Node& self) const { return relay_values(self, *relay_); }

}  // namespace kport
