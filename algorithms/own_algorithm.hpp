/// @file own_algorithm.hpp   A user-defined algorithm in its own file, which kport compiles and runs: `kport new`
///                           writes one.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/node/node.hpp"

namespace KPORT_PUBLIC kport {

/// The program of a node, with the arguments that it wants: program(Node&), program(Node&, NodeId root), or
/// program(Node&, const Collective&).
class OwnProgram {
  public:
    template <class Text>
    requires(!std::same_as<std::remove_cvref_t<Text>, OwnProgram>) OwnProgram(Text text)  // NOLINT: implicit
        : of_([text = std::move(text)](Node& self, const Collective& task) -> Program {
              if constexpr (std::is_invocable_r_v<Program, const Text&, Node&>)
                  return text(self);
              else if constexpr (std::is_invocable_r_v<Program, const Text&, Node&, NodeId>)
                  return text(self, task.root);
              else
                  return text(self, task);
          }) {}

    /// `task` must live as long as the program runs.
    [[nodiscard]] Program of(Node& self, const Collective& task) const { return of_(self, task); }

  private:
    std::function<Program(Node&, const Collective&)> of_;
};

/// The arguments of KPORT_ALGORITHM.
struct OwnAlgorithm {
    Operation operation;
    OwnProgram program;
    std::string rule = "an algorithm of your own";  ///< the algorithm in one sentence
    /// Returns why it cannot run on a machine, as one clause that completes "NAME ..."; nothing if it can:
    /// needs_hypercube, or others in support/fit.hpp. Null: it runs on all machines. Must be pure and thread-safe.
    std::optional<std::string> (*misfit)(const Machine&) = nullptr;
    /// In operations where one node sends something to all others, the others start with their first message unless
    /// this is true. In all other operations every node starts in round 1.
    bool all_start = false;
    bool in_order = false;  ///< for reductions: contributions are combined in the order of the nodes
};

[[nodiscard]] std::optional<std::string> misfit_of_own(const OwnAlgorithm& own, const Machine& machine,
                                                       const AlgorithmOptions& options);
[[nodiscard]] Start start_of_own(const OwnAlgorithm& own, const Collective& collective);

/// Returns the row of the catalogue, without a name.
template <const OwnAlgorithm& (*own)()>
[[nodiscard]] Algorithm row_of_own() {
    Algorithm row{
        .operation = own().operation,
        .name = {},
        .rule = own().rule,
        .needs = {},
        .cost = {},
        .source = {},
        .misfit = [](const Machine& machine, const Collective&,
                     const AlgorithmOptions& options) { return misfit_of_own(own(), machine, options); },
        .make = [](const Machine&, const Collective& collective,
                   const AlgorithmOptions&) { return start_of_own(own(), collective); },
        .expect = [](const Machine&, const Collective&, const AlgorithmOptions&) { return ExpectedCost{}; },
    };
    row.by_default = false;
    row.is_own = true;
    row.with_many = WithMany::own;  // its program knows how many packets each has, or is judged for it
    if (own().in_order)
        row.in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"};
    return row;
}

}  // namespace kport

/// Used once in the file, after the program:
///
///     KPORT_ALGORITHM(.operation = Operation::broadcast, .program = broadcast, .rule = "along the rows first")
///
/// kport finds the shared object's two symbols, and refuses one that was built for another kport.
#define KPORT_ALGORITHM(...)                                                              \
    extern "C" [[gnu::visibility("default"), gnu::used]] const char kport_built_for[] =   \
        "kport built for " KPORT_BUILD;                                                   \
    static const kport::OwnAlgorithm& kport_own_algorithm() {                             \
        static const kport::OwnAlgorithm own{__VA_ARGS__};                                \
        return own;                                                                       \
    }                                                                                     \
    extern "C" [[gnu::visibility("default")]] const kport::Algorithm* kport_algorithm() { \
        static const kport::Algorithm row = kport::row_of_own<&kport_own_algorithm>();    \
        return &row;                                                                      \
    }                                                                                     \
    static_assert(true)
