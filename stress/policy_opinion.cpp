#include "stress/policy_opinion.hpp"

#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "stress/second_opinion.hpp"
#include "umpire/policy.hpp"

namespace kport {

namespace {

using umpire::Number;

/// A message, and how many of its kind.
using Moved = std::map<std::tuple<Number, Number, Number, std::vector<Number>>, int>;  // round, from, to, route
using Waits = std::map<std::pair<Number, Number>, Number>;                             // round, sender

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
    const auto tell = [](const auto& wait) {
        return fmt::format("messages of node {} that would have to wait in round {}", wait.second, wait.first);
    };
    for (const auto& [wait, times] : did)
        if (!should.contains(wait) || should.at(wait) != times)
            return fmt::format("{}: {} are reported, and {} should be", tell(wait), times,
                               should.contains(wait) ? should.at(wait) : 0);
    for (const auto& [wait, times] : should)
        if (!did.contains(wait)) return fmt::format("{}: none is reported, and {} should be", tell(wait), times);
    return {};
}

Waits reported(const Verdict& verdict) {
    Waits waits;
    for (const Violation& v : verdict.violations)
        if (v.rule() == Rule::strict) ++waits[{v.round, v.breach == Breach::would_wait_send ? v.node : v.other}];
    return waits;
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
        ++should[{arbitration.moved[i], sends[i].from, sends[i].to, sends[i].route}];
    Moved did;
    for (const umpire::Message& message : game.messages)
        ++did[{message.round, message.from, message.to, message.route}];
    if (std::string text = first_difference(should, did); !text.empty()) return text;
    if (verdict.violations.size() != verdict.violation_count) return {};
    return first_difference(machine.policy == Policy::strict ? arbitration.waits : Waits(), reported(verdict));
}

}  // namespace kport
