#include "emulator/node/exchange.hpp"

#include <algorithm>

#include "emulator/node/node.hpp"
#include "emulator/node/pieces.hpp"

namespace kport {

namespace {

/// The acts of an exchange: a tenth fewer instructions a message than a follower. In a scan, what goes into both what is sent and the
/// result is folded once, and what came last is not sent on. In an exclusive scan the result begins empty.
Program exchange_values(Node& self, const ValueExchange& plan) {
    const bool scans = self.collective().scans();
    Value sent = self.contribution();
    Value result;
    bool has_result = self.collective().is_exclusive();  // else it is what is sent
    const unsigned steps = plan.known_steps();
    for (unsigned step = 0; step < steps; ++step) {
        const ValueExchange::Ports ports = plan.known_ports(step);
        co_await self.send(ports.out, sent);
        const Arrival arrival = co_await self.receive(ports.in);
        const Value& came = arrival.value();
        const bool is_left = arrival.from < self.id();
        const bool is_sent_on = !scans || step + 1 < steps;
        if (scans && !has_result && !(is_left && is_sent_on)) {
            result = sent;
            has_result = true;
        }
        if (is_sent_on) sent = is_left ? self.fold(came, sent) : self.fold(sent, came);
        if (has_result && is_left) result = result.is_none() ? came : self.fold(came, result);
    }
    if (!has_result) result = sent;
    if (!result.is_none()) self.result(result);
}

}  // namespace

ValueExchange::Ports ValueExchange::known_ports(unsigned step) const {
    Ports known = known_ports_.at(step, [this](unsigned i) { return ports(i); });
    known.in = std::min(known.in, no_port - 1);  // no_port would be any
    return known;
}

Act ValueExchange::next_act(NodeId v, std::uint64_t& place, Port) const {
    const auto step = static_cast<unsigned>(place / 2);
    if (step >= known_steps()) return Act::end();
    const Ports ports = known_ports(step);
    const bool is_sent = place++ % 2 != 0;
    return is_sent ? Act::receive(ports.in) : send(v, step, ports.out);
}

Act ValueExchange::send(NodeId, unsigned, Port out) const { return Act::send(out); }

Program ValueExchange::program(Node& self) const { return exchange_values(self, *this); }

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
