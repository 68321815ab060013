
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/stress/second_opinion.hpp"
#include "app/umpire/umpire.hpp"

namespace kport {

namespace {

using umpire::Number;

/// Messages, and how many there are of each kind.
using Moved = std::map<std::tuple<Number, Number, Number, std::vector<Number>>, int>;  // round, from, to, route
using Waits = std::map<std::pair<Number, Number>, std::vector<Number>>;  // round, sender: those that go first

std::vector<umpire::Send> sends_of(const std::vector<AskedSend>& asked) {
    std::vector<umpire::Send> sends;
    for (const AskedSend& one : asked)
        sends.push_back({one.round,
                         one.from,
                         one.to,
                         {one.route.begin(), one.route.end()},
                         one.declaration == 0 ? umpire::none : one.declaration});
    return sends;
}

std::string first_difference(const Moved& should, const Moved& did) {
    for (const auto& [moved, times] : did) {
        const auto known = should.find(moved);
        if (known == should.end() || known->second < times)
            return fmt::format("a message from node {} to node {} moves in round {}, and should not",
                               std::get<1>(moved), std::get<2>(moved), std::get<0>(moved));
    }
    for (const auto& [moved, times] : should) {
        const auto known = did.find(moved);
        if (known == did.end() || known->second < times)
            return fmt::format("a message from node {} to node {} does not move in round {}, and should",
                               std::get<1>(moved), std::get<2>(moved), std::get<0>(moved));
    }
    return {};
}

std::string first_difference(const Waits& should, const Waits& did) {
    const auto first_that_differs = [](const Waits& one, const Waits& other) {
        return std::ranges::find_if(one, [&](const auto& wait) {
            const auto same = other.find(wait.first);
            return same == other.end() || same->second != wait.second;
        });
    };
    const auto text = [](const Waits& waits, const auto& place) {
        const auto found = waits.find(place);
        if (found == waits.end()) return std::string("none");
        std::string winners;
        for (const Number winner : found->second)
            winners += winner == umpire::none ? " its own" : fmt::format(" of node {}", winner);
        return fmt::format("{}, after messages{}", found->second.size(), winners);
    };
    auto different = first_that_differs(did, should);
    if (different == did.end()) {
        different = first_that_differs(should, did);
        if (different == should.end()) return {};
    }
    const auto& [round, sender] = different->first;
    return fmt::format("messages of node {} that would have to wait in round {}: reported are {}, and should be {}",
                       sender, round, text(did, different->first), text(should, different->first));
}

/// Sorts the senders that go first: the order of the reports does not matter.
Waits in_order(Waits waits) {
    for (auto& [place, winners] : waits) std::ranges::sort(winners);
    return waits;
}

Waits reported(const Verdict& verdict) {
    Waits waits;
    for (const Violation& v : verdict.violations)
        if (v.rule() == Rule::strict) {
            const bool is_declared = v.breach == Breach::would_wait_send;
            waits[{v.round, is_declared ? v.node : v.other}].push_back(is_declared ? umpire::none : v.earlier_other);
        }
    return in_order(std::move(waits));
}

}  // namespace

std::string policy_opinion(const std::vector<AskedSend>& asked, const Schedule& moved, const Machine& machine,
                           const Collective& collective, const Verdict& verdict, const std::function<bool()>& stops) {
    const umpire::Game game = game_of(moved, machine, collective);
    const std::vector<umpire::Send> sends = sends_of(asked);
    const umpire::Arbitration arbitration = umpire::arbitrate(game, sends, stops);
    if (stops && stops()) return {};
    Moved should;
    for (std::size_t i = 0; i < sends.size(); ++i)
        ++should[{arbitration.moved[i], sends[i].from, sends[i].to, arbitration.routes[i]}];
    Moved did;
    for (const umpire::Message& message : game.messages)
        ++did[{message.round, message.from, message.to, message.route}];
    if (std::string text = first_difference(should, did); !text.empty()) return text;
    if (verdict.violations.size() != verdict.violation_count) return {};
    return first_difference(machine.policy == Policy::strict ? in_order(arbitration.waits) : Waits(),
                            reported(verdict));
}

}  // namespace kport
