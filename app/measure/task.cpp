#include "app/measure/task.hpp"

#include <fmt/format.h>

#include "app/session/options.hpp"

namespace kport::measure {

std::string Task::name() const {
    return fmt::format("{}/{}/{}/{}-port{}/{}/{}/threads:{}", kport::name(experiment.collective.operation),
                       algorithm->name, topology().spec(), experiment.machine.ports.text(), particulars(experiment),
                       experiment.collective.packet_bytes, moved_by(), experiment.thread_count());
}

double bytes_held(const Task& task) {
    const Collective& collective = task.experiment.collective;
    const NodeId nodes = task.topology().nodes();
    const bool all_get_all =
        collective.operation->carries == Carries::copies || collective.operation == Operation::allgather;
    return static_cast<double>(collective.packet_bytes) * static_cast<double>(collective.packets(nodes)) *
           (all_get_all ? static_cast<double>(nodes) : 1);
}

}  // namespace kport::measure
