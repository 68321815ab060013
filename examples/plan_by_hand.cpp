/// @file plan_by_hand.cpp   An allreduce as a plan: what each node does as data, run by every engine, and judged.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <kport/kport.hpp>

using namespace kport;

namespace {

/// Pairwise exchange on a hypercube: in step d each node sends what it has folded across dimension d, and folds what comes.
class Exchange final : public Plan {
  public:
    explicit Exchange(Port dimensions) : dimensions_(dimensions) {}

    /// Places 2d and 2d + 1 are the send and the receive of step d.
    [[nodiscard]] Act next_act(NodeId, std::uint64_t& place, Port) const override {
        const auto d = static_cast<Port>(place / 2);
        if (d == dimensions_) return Act::end();
        return place++ % 2 == 0 ? Act::send(d) : Act::receive(d);
    }
    [[nodiscard]] Content content() const override { return Content::value; }

  private:
    Port dimensions_;
};

}  // namespace

int main() {
    Machine machine;
    machine.topology = make_topology("hypercube:3");
    const Job job = job_following(std::make_shared<Exchange>(3), machine, Collective::allreduce(8));
    bool lawful = true;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        RunOptions options;
        options.engine = engine;
        const RunResult result = run(job, options);
        const Metrics& metrics = result.verdict.metrics;
        fmt::print("{}: {} rounds, work {}, results {}\n", name(result.engine), metrics.rounds, metrics.work,
                   fmt::join(result.results, " "));
        lawful = lawful && result.verdict.lawful();
    }

    machine.topology = make_topology("hypercube:2");  // a plan for three dimensions lies here
    try {
        (void)run(job_following(std::make_shared<Exchange>(3), machine, Collective::allreduce(8)), {});
    } catch (const ProgramError& error) {
        fmt::print("{}\n", error.what());
    }
    return lawful ? 0 : 1;
}
