/// @file yardsticks.cpp   What do the messages of a broadcast and of an exchange cost without an emulator?
#include <vector>

#include <fmt/format.h>

#include "bench/support/register.hpp"
#include "bench/yardsticks/bare_coroutines.hpp"
#include "bench/yardsticks/bare_loop.hpp"

namespace kport::bench {

namespace {

std::vector<Contender> yardsticks() {
    std::vector<Contender> all;
    const auto add = [&](const char* contender, const std::string& size, auto run) {
        all.push_back({fmt::format("{}/{}", contender, size), run});
    };
    for (const int n : tiny() ? std::vector{6} : std::vector{10, 16, 20}) {
        const std::string cube = fmt::format("hypercube:{}", n);
        add("Broadcast/bare_loop_all_port", cube, [n] { return bare_loop_sbt_all_port(n); });
        add("Broadcast/bare_loop_1_port", cube, [n] { return bare_loop_sbt_1_port(n); });
        add("Broadcast/bare_coroutines", cube, [n] { return bare_coroutines_sbt(n); });
        add("Exchange/bare_loop", cube, [n] { return bare_loop_exchange(n); });
        add("Exchange/bare_coroutines", cube, [n] { return bare_coroutines_exchange(n); });
        const NodeId nodes = NodeId{1} << n;
        const std::string line = fmt::format("line:{}", nodes);
        add("Broadcast/bare_loop", line, [nodes] { return bare_loop_line(nodes); });
        add("Broadcast/bare_coroutines", line, [nodes] { return bare_coroutines_line(nodes); });
    }
    return all;
}

[[maybe_unused]] const bool registered = register_contenders(yardsticks());

}  // namespace

}  // namespace kport::bench
