/// @file kept_values.hpp   The values that a node of a reduction keeps while it follows a plan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/node/pieces.hpp"
#include "emulator/node/plan.hpp"

namespace kport {

/// What a node has of each segment, folded to one value: where each contribution is one packet.
class OneSum {
  public:
    /// Begins with the node's contribution.
    explicit OneSum(Node& self) : sum_(self.contribution()) {}
    /// Begins with what came first.
    OneSum(Node&, const Value& came) : sum_(came) {}
    /// A value, or a result, has come: what comes after a result adds nothing to it.
    void take(Node& self, const Value& came, Act::Fold fold = Act::Fold::in_order);
    /// The value of the segments that some packets have, or their result.
    template <class Packets>
    [[nodiscard]] Value of(Node& self, const Packets&, bool result) const {
        return result ? self.whole(sum_) : sum_;
    }
    /// The value of all that it has of the packets; the result if one has come.
    [[nodiscard]] Value latest(Node&, const PacketSet&) const { return sum_; }

  private:
    Value sum_;
};

/// The value of each of several segments, of which a message carries some.
class SumsOfSegments {
  public:
    /// Begins with the node's contribution.
    explicit SumsOfSegments(Node& self);
    /// Begins with what came first.
    SumsOfSegments(Node& self, const Value& came) { take(self, came); }
    /// Throws std::invalid_argument for a side: segments are folded in the order of the nodes.
    void take(Node& self, const Value& came, Act::Fold fold = Act::Fold::in_order);
    template <class Packets>
    [[nodiscard]] Value of(Node& self, const Packets& packets, bool result) const {
        const PacketSet named = packets();
        return sums_.get(self, rows_of(named.blocks()), result);
    }
    [[nodiscard]] Value latest(Node& self, const PacketSet& packets) const {
        return sums_.get(self, rows_of(packets.blocks()), !results_.empty());
    }

  private:
    Pieces sums_;
    PacketSet results_;  ///< the segments whose results have come
};

/// All values that have come to a node, its own contribution, and what it has folded of these: from them it makes the value of
/// any contributions that are a union of theirs.
class Parts {
  public:
    explicit Parts(Node& self);
    void take(Node& self, const Value& came) {
        for (Value& run : self.runs(came)) values_.push_back(std::move(run));
    }
    /// The value of some contributions, or results. What none of its values are parts of is left out; if that is all, it is the
    /// node's own contribution. What was folded is kept, since more will be folded to it.
    [[nodiscard]] Value of(Node& self, const PacketSet& packets);
    /// The result of all contributions, if one has come; else of() the packets.
    [[nodiscard]] Value latest(Node& self, const PacketSet& packets);

  private:
    std::vector<Value> values_;
};

/// The values of a node that follows a plan. Most nodes send all that they have: these keep one sum (`Sum`: OneSum or
/// SumsOfSegments), folded by the order of nodes (node/fold_order.hpp), and those of a scan the prefix beside it. Others keep Parts.
///
/// Callers   the program of the node; it stands in its frame.
template <class Sum>
class KeptValues {
  public:
    KeptValues(Node& self, bool parts) : sum_(self) {
        if (parts)
            more().parts.emplace(self);
        else if (self.collective().scans())
            begin_prefix(self);
    }

    /// The value that a message carries; of these contributions if it keeps parts. `packets()`: what the plan names;
    /// `result`: these are results.
    template <class Packets>
    [[nodiscard]] Value sent(Node& self, const Packets& packets, bool result) {
        return keeps_parts() ? more_->parts->of(self, packets()) : sum_.of(self, packets, result);
    }
    /// A value has come. Values that are folded together (Act::Fold::with_next) do not depend on the order in which they come.
    void take(Node& self, const Value& came, Act::Fold fold);
    /// Gives the node's result, if it has all of it; the root as far as it has it.
    void give(Node& self);

  private:
    /// What few nodes need.
    struct More {
        std::optional<Parts> parts;
        bool has_prefix = false;    ///< scans, without parts
        std::optional<Sum> prefix;  ///< of the contributions that its result is to have; nothing: none has come
        std::vector<Value> coming;  ///< to be folded with the next one
    };
    [[nodiscard]] More& more() {
        if (more_ == nullptr) more_ = std::make_unique<More>();
        return *more_;
    }
    void begin_prefix(Node& self) {
        more().has_prefix = true;
        if (!self.collective().is_exclusive()) more().prefix.emplace(self);
    }
    void take_into_sums(Node& self, const Value& came, Act::Fold fold);
    [[nodiscard]] bool keeps_parts() const { return more_ != nullptr && more_->parts; }
    [[nodiscard]] bool keeps_prefix() const { return more_ != nullptr && more_->has_prefix; }

    Sum sum_;
    std::unique_ptr<More> more_;
};

/// The values of a node that sends what came last (Plan::Content::relayed_value).
class RelayedValues {
  public:
    using Carried = Value;
    RelayedValues(Node&, const Plan&);
    [[nodiscard]] Value carried(Node& self, const Plan& plan, const Act& act);
    static Cargo cargo(const Value& value) { return value; }
    void take(Node& self, const Value& came, Act::Fold);
    void give(Node& self);

  private:
    void keep(Node& self, const Value& result);

    std::optional<Value> last_;
    Pieces results_;
    bool has_results_ = false;
};

extern template class KeptValues<OneSum>;
extern template class KeptValues<SumsOfSegments>;

}  // namespace kport
