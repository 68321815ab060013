#include "emulator/node/splitting.hpp"

#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/node/node.hpp"

namespace kport {

namespace {

Program split(Node& self, const Splitting& splitting) {
    Port in = no_port;
    if (self.id() != self.collective().root) {
        const Arrival arrival = co_await self.receive();
        in = arrival.port;
    }
    for (Port out = splitting.first(self.id(), in); out != no_port; out = splitting.next(self.id(), out)) {
        const PacketSet part = splitting.part(self.id(), out);
        co_await self.pass(out, part);
    }
}

}  // namespace

SplittingProgram::SplittingProgram(std::shared_ptr<const Splitting> splitting) : splitting_(std::move(splitting)) {
    if (splitting_ == nullptr) throw RequestError("a splitting without a text; want a Splitting");
}

Program SplittingProgram::operator()(Node& self) const { return split(self, *splitting_); }

}  // namespace kport
