#include "algorithms/support/planned.hpp"

#include <memory>
#include <utility>

#include "emulator/engine/script.hpp"

namespace kport {

Start following(Schedule plan, const Machine& machine, const Collective& collective) {
    const auto kept = std::make_shared<const Schedule>(std::move(plan));
    Job job = job_following(*kept, machine, collective);
    return {.program = [kept, follow = std::move(job.program)](Node& self) { return follow(self); },
            .starters = std::move(job.starters),
            .starters_wait_until = std::move(job.starters_wait_until),
            .others_receive = job.others_receive};
}

}  // namespace kport
