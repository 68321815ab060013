#include "emulator/node/exchange.hpp"

#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/node/answers.hpp"
#include "emulator/node/node.hpp"

namespace kport {

namespace {

Program exchange_values(Node& self, const ExchangeProgram& exchange) {
    const bool apart = exchange.keeps_results_apart();
    Value sent = self.contribution();
    Value result;
    bool has_result = false;  // else it is what is sent: both begin alike, and what goes into both is folded once
    const unsigned steps = exchange.steps();
    for (unsigned step = 0; step < steps; ++step) {
        const Port port = exchange.port(step);
        co_await self.send(port, sent);
        const Arrival arrival = co_await self.receive(port);
        const Value& came = arrival.value();
        const ValueExchange::Folds how = exchange.folds(self.id(), arrival.from, step);
        const bool is_sent_on = !apart || step + 1 < steps;
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

struct ExchangeProgram::Heard {
    Answers<unsigned> steps{"ValueExchange::steps"};
    Answers<Port> ports{"ValueExchange::port"};
    Answers<bool> apart{"ValueExchange::keeps_results_apart"};
};

ExchangeProgram::ExchangeProgram(std::shared_ptr<const ValueExchange> exchange)
    : exchange_(std::move(exchange)), heard_(std::make_shared<Heard>()) {
    if (exchange_ == nullptr) throw RequestError("an exchange without a text; want a ValueExchange");
}

Program ExchangeProgram::operator()(Node& self) const { return exchange_values(self, *this); }

unsigned ExchangeProgram::steps() const {
    return heard_->steps.at([this] { return exchange_->steps(); });
}

Port ExchangeProgram::port(unsigned step) const {
    return heard_->ports.at(step, [this](unsigned i) { return exchange_->port(i); });
}

bool ExchangeProgram::keeps_results_apart() const {
    return heard_->apart.at([this] { return exchange_->keeps_results_apart(); });
}

}  // namespace kport
