/// @file node_values.hpp   Values of a node: what it folds in a scan, and its result of segments that come one by one.
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/node/node.hpp"

namespace kport {

/// The fold of what stands before a node and of its own contribution, to all segments or to one. No message of a scan depends on
/// results, so an exclusive scan sends the same messages: it keeps what stands before the node beside what it sends
/// (Sanders, Traff 2006).
class PrefixSum {
  public:
    PrefixSum(Node& self, Value own)
        : self_(self), with_own_(std::move(own)), is_exclusive_(self.collective().is_exclusive()) {}
    explicit PrefixSum(Node& self) : PrefixSum(self, self.contribution()) {}

    /// What came stands before all that was put in front so far; none changes nothing.
    void put_in_front(const Value& came) {
        if (came.is_none()) return;
        with_own_ = self_.fold(came, with_own_);
        if (is_exclusive_) before_own_ = before_own_.is_none() ? came : self_.fold(came, before_own_);
    }
    [[nodiscard]] const Value& with_own() const { return with_own_; }
    /// The node's result; none for node 0 of an exclusive scan.
    [[nodiscard]] const Value& result() const { return is_exclusive_ ? before_own_ : with_own_; }
    void give() const {
        if (!result().is_none()) self_.result(result());
    }

  private:
    Node& self_;
    Value with_own_;
    Value before_own_;
    bool is_exclusive_;
};

/// Returns the row of a scan and that of the exclusive scan, which sends the same messages.
[[nodiscard]] inline std::vector<Algorithm> with_exclusive(const Algorithm& scan) {
    Algorithm exclusive = scan;
    exclusive.operation = exclusive.forward = Operation::exscan;
    exclusive.rule += "; a node's own contribution stays out of its result";
    return {scan, exclusive};
}

/// What a node contributes to one segment of the vector.
[[nodiscard]] inline Value contribution_to(Node& self, NodeId segment) {
    return self.contribution(PacketSet::range(segment, segment + 1));
}

/// Makes the segments, all of them and in order, the node's result.
inline void put_results(Node& self, const std::vector<Value>& segments) {
    std::vector<const Value*> all;
    for (const Value& segment : segments) all.push_back(&segment);
    self.result(self.concatenate(all));
}

}  // namespace kport
