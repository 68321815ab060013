/// @file peers.cpp   What does a message of a broadcast cost in kport and in another simulator?
///
/// Built where SimGrid is installed (libsimgrid-dev); `./dev bench-peers` installs it and runs this.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/broadcast/contenders.hpp"
#include "bench/peers/simgrid.hpp"
#include "bench/support/question.hpp"
#include "bench/yardsticks/bare_coroutines.hpp"

namespace kport::bench {

namespace {

constexpr int simgrid_most = 16;  // 2^20 actors would take 21 GiB

Question sbt_question(int n) {
    Question question{fmt::format("SBT broadcast on hypercube:{}, 8 bytes, 1 thread", n), {}, 3};
    question.rows.push_back({"bare coroutines", [n] { return bare_coroutines_sbt(n); }, {}});
    for (const bool all_ports : {true, false}) {
        const std::string ports = all_ports ? "all-port" : "1-port";
        const std::string simgrid = "SimGrid S4U, " + ports;
        Goal goal;
        if (n <= simgrid_most) {
            question.rows.push_back({simgrid, [=] { return simgrid_sbt(n, all_ports); }, {}, /*once=*/true});
            goal = {Goal::Kind::speedup_at_least, 1, simgrid};
        }
        question.rows.push_back(
            {"kport, " + ports, [=] { return kport_sbt(n, all_ports ? PortLimit::all() : PortLimit(1), 1); }, goal});
    }
    return question;
}

std::vector<Question> questions_of_peers(bool) {
    std::vector<Question> all;
    for (const int n : tiny() ? std::vector{4} : std::vector{10, 13, 16, 20}) all.push_back(sbt_question(n));
    return all;
}

}  // namespace

}  // namespace kport::bench

int main(int argc, char** argv) {
    return kport::bench::ask_all({argv + 1, argv + argc}, kport::bench::questions_of_peers);
}
