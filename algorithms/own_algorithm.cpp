#include "algorithms/own_algorithm.hpp"

namespace kport {

std::optional<std::string> misfit_of_own(const OwnAlgorithm& own, const Machine& machine,
                                         const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    return own.misfit == nullptr ? std::nullopt : own.misfit(machine);
}

Start start_of_own(const OwnAlgorithm& own, const Collective& collective) {
    Start start{[program = own.program, collective](Node& self) { return program.of(self, collective); },
                {},
                own.all_start || own.operation->rooted != Rooted::gives};
    if (!start.all_start) start.starters = {collective.root};
    return start;
}

}  // namespace kport
