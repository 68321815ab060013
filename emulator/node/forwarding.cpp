#include "emulator/node/forwarding.hpp"

#include <utility>

#include "emulator/node/node.hpp"

namespace kport {

namespace {

/// `together`: the packets of the only message; null: so many `messages` have one each.
Program forward(Node& self, const Forwarding& forwarding, const PacketSet* together, std::uint64_t messages) {
    for (std::uint64_t j = 0; j < messages; ++j) {
        const Cargo message = together != nullptr ? Cargo(*together) : Cargo(Packet(j));
        Port in = no_port;
        if (self.id() != self.collective().root) {
            const Arrival arrival = co_await self.receive();
            in = arrival.port;
        }
        for (Port out = forwarding.first(self.id(), in); out != no_port; out = forwarding.next(self.id(), out))
            co_await self.send(out, message);
    }
}

}  // namespace

ForwardingProgram::ForwardingProgram(std::shared_ptr<const Forwarding> forwarding, std::uint64_t packets, bool together)
    : forwarding_(std::move(forwarding)), messages_(together ? 1 : packets) {
    if (together && packets > 1) together_ = PacketSet::range(0, packets);
}

Program ForwardingProgram::operator()(Node& self) const {
    return forward(self, *forwarding_, together_.empty() ? nullptr : &together_, messages_);
}

}  // namespace kport
