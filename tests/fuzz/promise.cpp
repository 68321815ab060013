#include <memory>
#include <sstream>
#include <string>

#include "algorithms/bounds/bounds.hpp"
#include "app/files/promise_file.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

void promise(std::string_view text) {
    // Machines and promises larger than this cost time and test nothing new.
    constexpr NodeId nodes_max = 64;
    constexpr std::uint64_t packets_max = 512;
    std::istringstream in{std::string(text)};
    const ToldPromise told = read_promise(in, "fuzzed", nullptr, 64);
    const NodeId nodes = told.topology->nodes();
    require_valid(told.collective, *told.topology);
    if (nodes > nodes_max || told.collective.packets(nodes) > packets_max) return;
    if (told.collective.own_folds() != nullptr) {
        const std::string lines = folds_in_lines(told.collective, *told.topology);
        std::istringstream again(lines);
        expect(folds_in_lines(read_promise(again, "again", told.topology, 64).collective, *told.topology) == lines,
               "folds are read as they were written");
    }
    Machine machine;
    machine.topology = told.topology;
    machine.combining = text.size() % 2 == 0;
    const Bounds bounds = lower_bounds(machine, told.collective);
    bool is_kept = true;
    for (NodeId v = 0; v < nodes; ++v)
        is_kept = is_kept && told.collective.owned(v, nodes).covers(told.collective.wanted(v, nodes).blocks());
    const Verdict silent = audit(Schedule(), machine, told.collective, false);
    expect(silent.delivered == is_kept, "a schedule without messages delivers what nobody lacks");
    expect(is_kept == (bounds[Quantity::work].largest().value_or(0) == 0),
           "some message is needed where something lacks");
}

}  // namespace kport::fuzz
