#include "app/grade/exercise.hpp"

#include <array>

namespace kport::grade {

namespace {

constexpr std::array sample_files = {
    SampleFile{"exercise.json", R"({
  "kport_exercise": 1,
  "title": "A broadcast on a hypercube, one port",
  "operation": "broadcast",
  "ports": 1,
  "source": 0,
  "machines": [
    {"on": "hypercube:3"}
  ],
  "hand_in": ["schedule"],
  "criteria": [
    {"name": "lawful", "points": 4},
    {"name": "rounds", "points": 4, "at_most": "bound + 1", "zero_from": "2 * bound + 1"},
    {"name": "optimal", "points": 2, "of": "rounds"}
  ],
  "each_machine": "worst",
  "feedback": "first_failure"
}
)"},
    SampleFile{"hand-ins/answer.txt", R"(on hypercube:3
broadcast from 0
round 1: 0 -> 4
round 2: 0 -> 2, 4 -> 6
round 3: 0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
)"},
    SampleFile{"hand-ins/empty.txt", R"(on hypercube:3
broadcast from 0
)"},
};

}  // namespace

std::span<const SampleFile> sample() { return sample_files; }

}  // namespace kport::grade
