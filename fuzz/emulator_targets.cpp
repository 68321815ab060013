#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/schedule/schedule_file.hpp"
#include "fuzz/targets.hpp"

namespace kport::fuzz {

namespace {

/// Machines larger than this cost time and show nothing new.
constexpr NodeId nodes_max = 512;

/// "mesh:3x4", and on a second line a node as --source has it.
void topology(std::string_view text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto made = make_topology(text.substr(0, end));
    expect(make_topology(made->spec())->spec() == made->spec(), "a specification of a topology is read again");
    expect(made->nodes() >= 1, "a topology has nodes");
    if (end < text.size()) expect(made->node(text.substr(end + 1)) < made->nodes(), "a node is one of the topology");
}

void numbers(std::string_view text) {
    const auto refused = [&](auto&& read) {
        try {
            read();
            return false;
        } catch (const RequestError&) {
            return true;
        }
    };
    const auto count = to_count(text);
    if (count) expect(fmt::to_string(*count) == text, "a count stands in canonical form");
    expect(refused([&] { expect(parse_count(text, "x") == count, "a count is read as it stands"); }) == !count,
           "what is no count is refused");
    refused([&] { expect(parse_size(text, "x") >= count.value_or(0), "a suffix makes no size smaller"); });
    refused([&] {
        const double seconds = parse_seconds(text, "x");
        expect(std::isfinite(seconds) && seconds >= 0, "a time is finite and not negative");
    });
    const double cost = parse_cost(text, "x");
    expect(std::isfinite(cost) && cost >= 0, "a cost is finite and not negative");
}

std::string written(const Schedule& schedule, const Topology& topology) {
    std::ostringstream out;
    write_schedule(out, schedule, topology);
    return out.str();
}

/// Which machine and which operation: the length of the text decides, so that a change of one byte keeps them.
struct Use {
    Machine machine;
    Promise promise;

    Use(std::shared_ptr<const Topology> topology, std::size_t number) {
        const auto draw = [&](std::size_t of) {
            const std::size_t drawn = number % of;
            number /= of;
            return drawn;
        };
        promise.operation = static_cast<Operation>(draw(8));
        machine.switching = draw(2) == 0 ? Switching::store_and_forward : Switching::wormhole;
        const std::size_t k = draw(3);
        machine.ports = k == 0 ? PortLimit::all() : PortLimit(static_cast<Port>(k));
        machine.duplex = draw(2) == 0 ? Duplex::full : Duplex::half;
        machine.combining = draw(2) == 0;
        machine.policy = draw(2) == 0 ? Policy::queue : Policy::strict;
        machine.topology = std::move(topology);
        promise.packet_bytes = 8;
    }
};

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

    require_readable(file.schedule, use.machine, use.promise);
    const Verdict verdict = audit(file.schedule, use.machine, use.promise, true);
    expect(verdict.lawful() == verdict.violations.empty(), "a verdict tells what is broken");
    if (!verdict.lawful()) return;
    ReplayOptions options;
    const RunResult moved = replay(file.schedule, use.machine, use.promise, options);
    expect(moved.verdict.delivered, "what an audit calls delivered is delivered");
}

/// What the system says of memory and of control groups.
void system_texts(std::string_view text) {
    const auto bytes = kibibytes_of(text, "MemAvailable");
    expect(!bytes || *bytes % 1024 == 0, "kibibytes are whole");
    for (const MemoryGroup& group : memory_groups(text))
        expect(left_in_group("/nowhere", group) > 0, "no file, no limit");
}

constexpr std::array<Target, 4> all = {
    {{"topology", topology}, {"numbers", numbers}, {"schedule", schedule}, {"system", system_texts}}};

}  // namespace

std::span<const Target> emulator_targets() { return all; }

void expect(bool holds, std::string_view what) {
    if (!holds) throw std::logic_error(fmt::format("this does not hold: {}", what));
}

void feed(const Target& target, std::string_view text) {
    const auto refused = [](std::string_view why) {
        expect(!why.empty() && why.find('\n') == std::string_view::npos, "a refusal is one line");
    };
    try {
        target.feed(text);
    } catch (const RequestError& error) {
        refused(error.what());
    } catch (const DoesNotFit& error) {
        refused(error.what());
    }
}

}  // namespace kport::fuzz
