#include "app/cli/attended.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "app/cli/code_process.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/joined.hpp"
#include "app/cli/output.hpp"
#include "app/requests/seal.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

namespace {
constexpr int seconds_of_own_program = 10;
}

std::optional<std::string> given_up(const Computing& computing, const std::string& what) {
    if (computing.stopping) return fmt::format("stopped without a report in {}", what);
    if (!supervised() || computing.seconds < seconds_of_own_program) return std::nullopt;
    return fmt::format("stopped without a report in {}; a program in a file may compute for {} s", what,
                       seconds_of_own_program);
}

Caller Attended::caller() {
    Caller caller;
    caller.stop = &interrupted();
    if (requests::sealed()) return caller;  // signs of life need threads
    caller.ranks = joined_ranks();
    caller.begins = [this](const Chosen& chosen) { begin(chosen); };
    caller.progress = [this](const Metrics& metrics, std::uint64_t reached) {
        something_to_tell();
        set_up_.reset();
        progress_->show(metrics, reached);
    };
    caller.computing = [this](const Computing& computing) { tell_computing(computing); };
    caller.ended = [this](const Outcome& outcome) { end(outcome); };
    return caller;
}

void Attended::begin(const Chosen& chosen) {
    experiment_ = chosen.experiment;
    const Topology& topology = experiment_.topology();
    const std::string set_up =
        fmt::format("the run of {} on {} is being set up", chosen.algorithm->name, topology.spec());
    nothing_to_tell_while(set_up);
    set_up_.emplace(set_up);
    progress_.emplace(topology.nodes(), reached_before(chosen.algorithm->operation));
}

/// A node program holds up the run, and does not see that it is to stop.
void Attended::tell_computing(const Computing& computing) {
    const std::string what = text(computing, experiment_.topology());
    if (const auto why = given_up(computing, what)) {
        progress_->remark(*why);
        end_at_once(status_stopped);
    }
    nothing_to_tell_while(what);
    progress_->remark(what + "; Ctrl-C ends the run");
}

void Attended::end(const Outcome& outcome) {
    something_to_tell();
    set_up_.reset();
    progress_.reset();
    for (const std::string& warning : warnings_of(experiment_, outcome)) complain(warning);
}

}  // namespace kport::cli
