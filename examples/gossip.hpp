/// @file gossip.hpp   The node program of a rumour that is pushed to random partners. Needs <kport/kport.hpp> before it.
#pragma once

namespace kport::example {

/// The first message starts a node; it then pushes until the last round.
inline Program gossip(Node& self, Round last, std::vector<Round>& heard) {
    heard[self.id()] = self.round() - 1;
    Dice dice = self.random();
    for (Round r = self.round(); r <= last; ++r) {
        const auto partner = static_cast<Port>(dice.below(self.degree()));
        co_await self.until(r);
        co_await self.send(partner, Data('!'));
    }
}

}  // namespace kport::example
