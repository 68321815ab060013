#include "emulator/node/relay.hpp"

#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/node/answers.hpp"
#include "emulator/node/node.hpp"
#include "emulator/node/pieces.hpp"

namespace kport {

namespace {

Program relay_values(Node& self, const RelayProgram& relay) {
    const unsigned folding_steps = relay.folding_steps();
    const unsigned steps = relay.steps();
    const std::uint32_t first = relay.first_segment(self.id());
    Value sent = self.contribution(PacketSet::range(first, first + 1));
    Pieces results;
    for (unsigned step = 0; step < steps; ++step) {
        if (step == folding_steps) {
            sent = self.whole(sent);
            results.add(self, sent, segments_of(sent));
        }
        const SegmentRelay::Ports ports = relay.ports(step);
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

struct RelayProgram::Heard {
    Answers<unsigned> folding_steps{"SegmentRelay::folding_steps"};
    Answers<unsigned> steps{"SegmentRelay::steps"};
    Answers<SegmentRelay::Ports> ports{"SegmentRelay::ports"};
};

RelayProgram::RelayProgram(std::shared_ptr<const SegmentRelay> relay)
    : relay_(std::move(relay)), heard_(std::make_shared<Heard>()) {
    if (relay_ == nullptr) throw RequestError("a relay without a text; want a SegmentRelay");
}

Program RelayProgram::operator()(Node& self) const { return relay_values(self, *this); }

unsigned RelayProgram::folding_steps() const {
    return heard_->folding_steps.at([this] { return relay_->folding_steps(); });
}

unsigned RelayProgram::steps() const {
    return heard_->steps.at([this] { return relay_->steps(); });
}

SegmentRelay::Ports RelayProgram::ports(unsigned step) const {
    return heard_->ports.at(step, [this](unsigned i) { return relay_->ports(i); });
}

}  // namespace kport
