#include "emulator/fault/tampering.hpp"

#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

tamper::Tamper* tamper_of(Fault fault) {
    switch (fault) {
        case Fault::drop: return tamper::drop;
        case Fault::duplicate: return tamper::duplicate;
        case Fault::echo: return tamper::echo;
        case Fault::misdeliver: return tamper::misdeliver;
        case Fault::forge: return tamper::forge;
        case Fault::send_unheld: return tamper::send_unheld;
        case Fault::take_apart: return tamper::take_apart;
        case Fault::corrupt: return tamper::corrupt;
        case Fault::lose_payload: return tamper::lose_payload;
        case Fault::reorder: return tamper::reorder;
        case Fault::late: return tamper::late;
        case Fault::same_round: return tamper::same_round;
        case Fault::exceed_sends: return tamper::exceed_sends;
        case Fault::exceed_receives: return tamper::exceed_receives;
        case Fault::exceed_both: return tamper::exceed_both;
        case Fault::second_partner: return tamper::second_partner;
        case Fault::channel_twice: return tamper::channel_twice;
        case Fault::link_both_ways: return tamper::link_both_ways;
        case Fault::jump: return tamper::jump;
        case Fault::no_such_edge: return tamper::no_such_edge;
        case Fault::visit_twice: return tamper::visit_twice;
        case Fault::bundle: return tamper::bundle;
        case Fault::silent_round: return tamper::silent_round;
        case Fault::malformed: return tamper::malformed;
        case Fault::fold_twice:
        case Fault::fold_not:
        case Fault::fold_out_of_order:
        case Fault::lose_wake_up: break;
    }
    throw RequestError(
        fmt::format("the fault {} is none of transfers, but is injected into the engine", info(fault).name));
}

Tampered finished(const Moves& moves, Fault fault, std::vector<Injected> faults, std::vector<std::size_t> places) {
    for (Injected& injected : faults) injected.numbers_a_segment = moves.topology().nodes() + 1;
    Tampered result{moves.schedule(places), std::move(faults), {}};
    if (info(fault).of_bytes()) result.struck = std::move(places);
    return result;
}

}  // namespace

std::optional<Tampered> tampered(const Schedule& schedule, const Machine& machine, const Collective& collective,
                                 Fault fault, Dice& dice) {
    if (schedule.empty()) return std::nullopt;
    Moves moves(schedule, machine, collective);
    const std::size_t first = dice.below(moves.size());
    for (std::size_t n = 0; n < moves.size(); ++n) {
        const std::size_t i = (first + n) % moves.size();
        if (auto injected = tamper_of(fault)(moves, i, dice))
            return finished(moves, fault, {*std::move(injected)}, {i});
    }
    return std::nullopt;
}

Tampered tampered_often(const Schedule& schedule, const Machine& machine, const Collective& collective, Fault fault,
                        double probability, Dice& dice) {
    Moves moves(schedule, machine, collective);
    std::vector<Injected> faults;
    std::vector<std::size_t> places;
    // Backwards, since most faults change what follows them.
    for (std::size_t i = moves.size(); i-- > 0;) {
        if (!dice.happens(probability)) continue;
        auto injected = tamper_of(fault)(moves, i, dice);
        if (!injected) continue;
        injected->certain = false;
        faults.push_back(*std::move(injected));
        places.push_back(i);
    }
    return finished(moves, fault, std::move(faults), std::move(places));
}

}  // namespace kport
