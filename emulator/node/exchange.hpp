/// @file exchange.hpp   Reductions in which all nodes exchange values by the same port, step after step.
#pragma once

#include <memory>

#include "emulator/base/types.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/virtual_node.hpp"

namespace kport {

/// The whole text of a reduction whose nodes exchange: in a step each sends what it has folded and receives by the same port, and
/// folds what came. What it sends first is its contribution.
///
/// Callers   several threads. What it says follows from the arguments alone.
class ValueExchange {
  public:
    ValueExchange() = default;
    ValueExchange(const ValueExchange&) = delete;
    ValueExchange& operator=(const ValueExchange&) = delete;
    virtual ~ValueExchange() = default;

    /// How often they exchange.
    [[nodiscard]] virtual unsigned steps() const = 0;
    /// By which port all nodes do, in a step from 0 on.
    [[nodiscard]] virtual Port port(unsigned step) const = 0;

    /// What node v does with the value that came in a step from node `from`.
    struct Folds {
        bool on_the_left = false;  ///< it stands left of what v has
        bool into_result = false;  ///< where results are kept apart: into the result too, on the same side
    };
    [[nodiscard]] virtual Folds folds(NodeId v, NodeId from, unsigned step) const = 0;
    /// Whether a node keeps its result apart from what it sends, as of a scan. It begins as the node's contribution, and what came last
    /// goes into it alone. Else what a node would send next is its result.
    [[nodiscard]] virtual bool keeps_results_apart() const { return false; }
};

/// The node programs of an exchange, as a job's program (Job::program). An engine that finds one there may keep of a node no more
/// than its values (engine/exchange_run.hpp): the run is the same.
///
/// What holds for all nodes it asks the text for when that is first needed, and remembers (node/answers.hpp).
class ExchangeProgram {
  public:
    /// Throws RequestError for null.
    explicit ExchangeProgram(std::shared_ptr<const ValueExchange> exchange);

    /// The program of a node. It refers to this object.
    [[nodiscard]] Program operator()(Node& self) const;

    /// Of the text. Throw what it throws, and std::invalid_argument where it gives two answers.
    [[nodiscard]] unsigned steps() const;
    [[nodiscard]] Port port(unsigned step) const;
    [[nodiscard]] bool keeps_results_apart() const;
    [[nodiscard]] ValueExchange::Folds folds(NodeId v, NodeId from, unsigned step) const {
        return exchange_->folds(v, from, step);
    }

  private:
    struct Heard;
    std::shared_ptr<const ValueExchange> exchange_;
    std::shared_ptr<Heard> heard_;
};

}  // namespace kport
