#include "app/search/gossip.hpp"

#include <algorithm>

namespace kport::search {

Calls there_and_back(const Calls& broadcast, Mode mode) {
    const Round rounds = rounds_of(broadcast);
    // The collecting node has, in the round of its last receipt, what the sender lacks, except what it gets from others
    // in that round.
    const auto last = std::ranges::count(broadcast, Round{1}, &Call::round);
    const Round shared = mode == Mode::telegraph || last != 1 ? 0 : 1;
    Calls calls;
    for (const Call& call : broadcast) {
        calls.push_back({rounds + 1 - call.round, call.to, call.from});
        calls.push_back({rounds - shared + call.round, call.from, call.to});
    }
    return calls;
}

}  // namespace kport::search
