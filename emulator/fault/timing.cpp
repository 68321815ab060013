/// @file timing.cpp   Faults of the round of a message.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "emulator/fault/tampering.hpp"

namespace kport::tamper {

namespace {

/// Returns the finding if the sender does not hold some packets of a move in its changed round. Nothing if it holds
/// all; where NODUP is not enforced, they may also have come by another message.
std::optional<Injected> unheld(const Moves& moves, Fault fault, std::string what, const Move& move) {
    const PacketSet held = moves.held(move.from, move.round);
    const PacketBlocks lacking = without(move.packets.blocks(), held.blocks());
    if (lacking.empty()) return std::nullopt;
    return Injected{fault, std::move(what), Rule::delivery, move.round, move.from, names(moves, span_of(lacking))};
}

}  // namespace

std::optional<Injected> reorder(Moves& moves, std::size_t i, Dice&) {
    const auto next = moves.passed_on(i);
    if (!next) return std::nullopt;
    std::string what = fmt::format("{} and {} swap rounds", named(moves, moves[i]), named(moves, moves[*next]));
    std::swap(moves[i].round, moves[*next].round);
    auto injected = unheld(moves, Fault::reorder, std::move(what), moves[*next]);
    if (!injected) std::swap(moves[i].round, moves[*next].round);
    return injected;
}

std::optional<Injected> late(Moves& moves, std::size_t i, Dice&) {
    const auto next = moves.passed_on(i);
    if (!next || moves[*next].round != moves[i].round + 1) return std::nullopt;
    std::string what = named(moves, moves[i]) + " arrives a round late";
    ++moves[i].round;
    auto injected = unheld(moves, Fault::late, std::move(what), moves[*next]);
    if (!injected) --moves[i].round;
    return injected;
}

std::optional<Injected> same_round(Moves& moves, std::size_t i, Dice&) {
    const auto next = moves.passed_on(i);
    if (!next) return std::nullopt;
    std::string what = fmt::format("{} is sent already in round {}, in which its packet arrives",
                                   named(moves, moves[*next]), moves[i].round);
    const Round fair = std::exchange(moves[*next].round, moves[i].round);
    auto injected = unheld(moves, Fault::same_round, std::move(what), moves[*next]);
    if (!injected) moves[*next].round = fair;
    return injected;
}

std::optional<Injected> silent_round(Moves& moves, std::size_t i, Dice&) {
    const Round round = moves[i].round;
    moves.put_off(round);
    return Injected{
        Fault::silent_round, fmt::format("nothing moves in round {}", round), Rule::rounds, round, no_node, {}};
}

}  // namespace kport::tamper
