/// @file broadcast.cpp   What does a message of an audited broadcast cost, and how does that grow with the machine?
///
/// The yardsticks of the same cases are in bench/yardsticks; goals.cpp sets both side by side in one run.
#include <vector>

#include <fmt/format.h>

#include "bench/broadcast/contenders.hpp"
#include "bench/support/register.hpp"

namespace kport::bench {

namespace {

std::vector<Contender> broadcasts() {
    std::vector<Contender> all;
    for (const int n : tiny() ? std::vector{6} : std::vector{10, 12, 14, 16, 18, 20, 22})
        for (const unsigned threads : {1u, 2u}) {
            const std::string size = fmt::format("threads:{}/hypercube:{}", threads, n);
            all.push_back({"Broadcast/all_port/" + size, [=] { return kport_sbt(n, PortLimit::all(), threads); }});
            all.push_back({"Broadcast/1_port/" + size, [=] { return kport_sbt(n, PortLimit(1), threads); }});
        }
    for (const NodeId nodes : tiny() ? std::vector<NodeId>{64} : std::vector<NodeId>{1024, 65536, 1048576})
        all.push_back({fmt::format("Broadcast/1_port/threads:1/line:{}", nodes), [=] { return kport_line(nodes, 1); }});
    return all;
}

[[maybe_unused]] const bool registered = register_contenders(broadcasts());

}  // namespace

}  // namespace kport::bench
