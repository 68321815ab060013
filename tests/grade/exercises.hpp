/// @file exercises.hpp   Exercises for tests.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <boost/algorithm/string/replace.hpp>

#include "app/files/whole_text.hpp"
#include "app/grade/exercise.hpp"
#include "app/requests/answer.hpp"

namespace kport::test {

/// A broadcast on one small mesh and a hidden line, 10 points.
inline const std::string usual_exercise = R"({
  "kport_exercise": 1, "title": "A broadcast on meshes", "operation": "broadcast", "ports": 1, "source": 0,
  "machines": [{"on": "mesh:2x2"}, {"on": "line:3", "hidden": true, "weight": 3}],
  "criteria": [{"name": "lawful", "points": 4},
               {"name": "rounds", "points": 4, "at_most": "bound + 1", "zero_from": "3 * bound"},
               {"name": "optimal", "points": 2, "of": "rounds"}],
  "each_machine": "worst"
})";

/// The usual exercise with one text replaced by another.
inline std::string with(const std::string& from, const std::string& to, std::string text = usual_exercise) {
    boost::replace_first(text, from, to);
    return text;
}

inline grade::Exercise exercise_of(const std::string& text = usual_exercise) {
    requests::prepare_for_requests();
    return grade::read_exercise(text, "x.json");
}

/// examples/exercises.
inline std::filesystem::path all_exercises() { return std::filesystem::path(KPORT_SOURCE_DIR) / "examples/exercises"; }

/// The exercises there that take hand-ins of one of these kinds, by name.
inline std::vector<std::string> exercise_names(const std::set<grade::Kind>& kinds) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(all_exercises())) {
        const std::string file = (entry.path() / "exercise.json").string();
        const std::set<grade::Kind> takes = exercise_of(text_in_file(file, "exercise")).takes;
        if (std::ranges::any_of(kinds, [&](grade::Kind kind) { return takes.contains(kind); }))
            names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

/// The name without what no name of a test has.
inline std::string test_name_of(std::string name) {
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

/// A lawful broadcast on mesh:2x2 in two rounds.
inline const std::string right_on_mesh = "on mesh:2x2\nbroadcast from 0\nround 1: 0 -> 1\nround 2: 0 -> 2, 1 -> 3\n";

}  // namespace kport::test
