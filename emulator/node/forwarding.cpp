#include "emulator/node/forwarding.hpp"

#include <cstdint>
#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/node/node.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

namespace {

Program forward_each(Node& self, const Forwarding& forwarding) {
    const std::uint64_t messages = self.collective().packets_each;
    for (std::uint64_t j = 0; j < messages; ++j) {
        Port in = no_port;
        if (self.id() != self.collective().root) {
            const Arrival arrival = co_await self.receive();
            in = arrival.port;
        }
        for (Port out = forwarding.first(self.id(), in); out != no_port; out = forwarding.next(self.id(), out))
            co_await self.send(out, Packet(j));
    }
}

Program forward_together(Node& self, const Forwarding& forwarding) {
    const PacketSet packets = PacketSet::range(0, self.collective().packets_each);
    Port in = no_port;
    if (self.id() != self.collective().root) {
        const Arrival arrival = co_await self.receive();
        in = arrival.port;
    }
    for (Port out = forwarding.first(self.id(), in); out != no_port; out = forwarding.next(self.id(), out))
        co_await self.send(out, packets);
}

}  // namespace

ForwardingProgram::ForwardingProgram(std::shared_ptr<const Forwarding> forwarding, bool together)
    : forwarding_(std::move(forwarding)), together_(together) {
    if (forwarding_ == nullptr) throw RequestError("a forwarding without a text; want a Forwarding");
}

Program ForwardingProgram::operator()(Node& self) const {
    const bool as_set = together_ && self.collective().packets_each > 1;
    return as_set ? forward_together(self, *forwarding_) : forward_each(self, *forwarding_);
}

}  // namespace kport
