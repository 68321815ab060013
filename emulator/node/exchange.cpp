#include "emulator/node/exchange.hpp"

#include "emulator/node/node.hpp"

namespace kport {

namespace {

Program exchange_values(Node& self, const ValueExchange& exchange) {
    Value sent = self.contribution();
    Value result;
    if (exchange.keeps_results_apart()) result = sent;
    for (unsigned step = 0; step < exchange.steps(); ++step) {
        const Port port = exchange.port(step);
        co_await self.send(port, sent);
        const Arrival arrival = co_await self.receive(port);
        const Value& came = arrival.value();
        const ValueExchange::Folds how = exchange.folds(self.id(), arrival.from, step);
        sent = how.on_the_left ? self.fold(came, sent) : self.fold(sent, came);
        if (exchange.keeps_results_apart() && how.into_result)
            result = how.on_the_left ? self.fold(came, result) : self.fold(result, came);
    }
    self.result(exchange.keeps_results_apart() ? result : sent);
}

}  // namespace

Program ExchangeProgram::operator()(Node& self) const { return exchange_values(self, *exchange_); }

}  // namespace kport
