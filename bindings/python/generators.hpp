/// @file generators.hpp   Node programs that are generators of Python.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include <pybind11/pybind11.h>

#include "algorithms/catalogue.hpp"
#include "app/requests/performed.hpp"
#include "emulator/base/types.hpp"

namespace kport::python {

/// A run whose nodes run a function of Python, which takes a node and returns a generator. What the generator yields are the node's
/// acts: sends, receives, rounds that pass.
///
/// Callers   one thread, which holds the interpreter's lock.
class GeneratorRun {
  public:
    /// `name`: of the program, in reports.
    GeneratorRun(pybind11::function program, std::string name);

    /// Runs the experiment in lockstep on this thread. Throws as kport::run() does; after a ProgramError failure() is what the
    /// program raised.
    [[nodiscard]] requests::Performed performed(Experiment experiment, Caller caller, const requests::Wanted& wanted);
    /// The exception of the program that ended the run; None where there was none.
    [[nodiscard]] pybind11::object failure() const { return failure_; }
    /// The line of the program that waited when the run ended by an error that the program did not raise; 0 where there was none.
    [[nodiscard]] int line() const { return line_; }

    [[nodiscard]] const pybind11::function& program() const { return program_; }
    /// Notes what the program of a node raised.
    void note(NodeId node, pybind11::object raised) { raised_[node] = std::move(raised); }

  private:
    pybind11::function program_;
    std::string name_;
    std::optional<Algorithm> row_;  ///< the program as one of the catalogue; a run's answer refers to it
    std::unordered_map<NodeId, pybind11::object> raised_;
    pybind11::object failure_;
    int line_ = 0;
};

/// Adds the classes that programs meet: Node, Topology, Act, Arrival, Value.
void add_node_classes(pybind11::module_& module);

}  // namespace kport::python
