#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "app/files/schedule_file.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/engine/movement_plan.hpp"
#include "emulator/engine/script.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

namespace {

/// Machines larger than this cost time and test nothing new.
constexpr NodeId nodes_max = 512;

std::string written(const Schedule& schedule, const Topology& topology) {
    std::ostringstream out;
    write_schedule(out, schedule, topology);
    return out.str();
}

/// The text's length chooses machine and operation, so a change of one byte keeps them.
struct Use {
    Machine machine;
    Collective collective;

    Use(std::shared_ptr<const Topology> topology, std::size_t number) {
        const auto draw = [&](std::size_t of) {
            const std::size_t drawn = number % of;
            number /= of;
            return drawn;
        };
        collective.operation = operations()[draw(operations().size())];
        machine.switching = draw(2) == 0 ? Switching::store_and_forward : Switching::wormhole;
        const std::size_t k = draw(3);
        machine.ports = k == 0 ? PortLimit::all() : PortLimit(static_cast<Port>(k));
        machine.duplex = draw(2) == 0 ? Duplex::full : Duplex::half;
        machine.combining = draw(2) == 0;
        machine.policy = draw(2) == 0 ? Policy::queue : Policy::strict;
        machine.topology = std::move(topology);
        collective = fitted(Collective::of(collective.operation, 0, 8), *machine.topology);
        machine.links = draw(2) == 0 ? Duplex::full : Duplex::half;
        machine.pairwise = draw(2) != 0;
        machine.noho = draw(2) == 0 ? Noho::wide : Noho::strict;
    }
};

}  // namespace

void schedule(std::string_view text) {
    std::istringstream in{std::string(text)};
    const ScheduleFile file = read_schedule(in, "fuzzed");
    const std::shared_ptr<const Topology> on = make_topology(file.topology);
    if (on->nodes() > nodes_max) return;
    const Use use(on, text.size());
    require_well_formed(file.schedule, *on);

    const std::string once = written(file.schedule, *on);
    std::istringstream again(once);
    const ScheduleFile same = read_schedule(again, "written");
    expect(written(same.schedule, *on) == once && same.schedule.size() == file.schedule.size(),
           "a schedule that was written is read again");

    require_readable(file.schedule, use.machine, use.collective);
    const Verdict verdict = audit(file.schedule, use.machine, use.collective, true);
    expect(verdict.lawful() == verdict.violations.empty(), "a verdict tells what is broken");
    if (!verdict.lawful()) return;
    if (use.collective.folds()) (void)plan_of_values(file.schedule, on->nodes(), use.collective, {});
    const RunResult moved = run(job_following(file.schedule, use.machine, use.collective), {});
    expect(moved.verdict.delivered, "what an audit calls delivered is delivered");
}

}  // namespace kport::fuzz
