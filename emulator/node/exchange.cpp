#include "emulator/node/exchange.hpp"

#include "emulator/node/node.hpp"

namespace kport {

namespace {

Program exchange_values(Node& self, const ValueExchange& exchange) {
    const bool apart = exchange.keeps_results_apart();
    Value sent = self.contribution();
    Value result;
    bool has_result = false;  // else it is what is sent: both begin alike, and what goes into both is folded once
    for (unsigned step = 0; step < exchange.steps(); ++step) {
        const Port port = exchange.port(step);
        co_await self.send(port, sent);
        const Arrival arrival = co_await self.receive(port);
        const Value& came = arrival.value();
        const ValueExchange::Folds how = exchange.folds(self.id(), arrival.from, step);
        const bool is_sent_on = !apart || step + 1 < exchange.steps();
        if (apart && !has_result && !(how.into_result && is_sent_on)) {
            result = sent;
            has_result = true;
        }
        if (is_sent_on) sent = how.on_the_left ? self.fold(came, sent) : self.fold(sent, came);
        if (has_result && how.into_result) result = how.on_the_left ? self.fold(came, result) : self.fold(result, came);
    }
    self.result(has_result ? result : sent);
}

}  // namespace

Program ExchangeProgram::operator()(Node& self) const { return exchange_values(self, *exchange_); }

}  // namespace kport
