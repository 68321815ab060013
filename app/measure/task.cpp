#include "app/measure/task.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kport::measure {

namespace {

/// Returns what differs from a plain machine and request, each part with a slash before it.
std::string particulars(const Task& task) {
    const Machine& machine = task.experiment.machine;
    const Reduction& reduction = task.experiment.options.reduction;
    std::string text;
    const auto add = [&](bool differs, const std::string& word) {
        if (differs) text += "/" + word;
    };
    add(machine.duplex == Duplex::half, "half-duplex");
    add(machine.links == Duplex::half, "half-duplex-links");
    add(machine.pairwise, "pairwise");
    add(machine.noho == Noho::strict, "strict-noho");
    add(machine.switching == Switching::wormhole, "wormhole");
    add(!machine.combining, "noncombining");
    add(machine.policy == Policy::strict, "strict");
    add(task.experiment.collective.packets_each != 1,
        fmt::format("packets:{}", task.experiment.collective.packets_each));
    add(task.experiment.collective.root != 0, fmt::format("source:{}", task.experiment.collective.root));
    add(task.experiment.options.keep.has_value(),
        task.experiment.options.keep == Keep::smaller ? "keep-smaller" : "keep-greater");
    add(!task.experiment.options.dimensions.empty(),
        fmt::format("dimensions:{}", fmt::join(task.experiment.options.dimensions, ",")));
    const AlgorithmOptions& options = task.experiment.options;
    if (options.arity) text += fmt::format("/arity:{}", *options.arity);
    if (options.gather) text += *options.gather == GatherBy::ring ? "/gather-ring" : "/gather-bruck";
    if (options.aggregate) text += fmt::format("/aggregate:{}", *options.aggregate);
    const Permutation& permutation = task.experiment.collective.permutation;
    add(permutation != Permutation{}, kport::text(permutation));
    if (!task.experiment.collective.folds()) return text;
    add(reduction.op != Operator::sum, std::string(name(reduction.op)));
    add(reduction.type != ElementType::int64, std::string(name(reduction.type)));
    return text;
}

}  // namespace

std::string Task::name() const {
    return fmt::format("{}/{}/{}/{}-port{}/{}/{}/threads:{}", kport::name(experiment.collective.operation),
                       algorithm->name, topology().spec(), experiment.machine.ports.text(), particulars(*this),
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
