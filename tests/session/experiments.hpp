/// @file experiments.hpp   Small experiments, and what is said of wrong ones.
#pragma once

#include <string>
#include <string_view>

#include "app/session/experiment.hpp"
#include "emulator/base/error.hpp"

namespace kport::test {

inline Experiment experiment(std::string_view spec, const Operation& operation = Operation::broadcast) {
    Experiment e;
    e.machine.topology = make_topology(spec);
    e.collective.operation = operation;
    e.threads = 1;
    return e;
}

/// The text of the RequestError; empty if there is none.
template <class Work>
std::string refusal(const Work& work) {
    try {
        work();
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

}  // namespace kport::test
