/// @file results.hpp   The values and results of a reduction: they are what they were sealed as, and what a fold gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/engine/agreement.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// Node v receives from `from` (no_node: uses) a value that is not what was sealed.
[[nodiscard]] Violation value_differs(NodeId v, NodeId from, Round round, std::span<const PacketBlock> contributions,
                                      NodeId nodes, std::uint64_t segments);

/// Tells the auditor the result that node v gives. The task of the shard.
void tell_result(Auditor& auditor, unsigned shard, Round round, NodeId v, const Body& result);

/// The contributions folded one after the other: what a reduction must give, however it was bracketed. Where the brackets
/// matter (Folder::brackets_matter()) a result may differ by what rounding can do in any bracketing; which one it was, and
/// that its folds are right bit for bit, the seals of the values say (node/seal.hpp).
///
/// Callers   one task.
class SequentialFold {
  public:
    explicit SequentialFold(const Folder& folder) : folder_(folder) {}

    /// Folds the next node's contribution in.
    void add_next() { add(count_); }
    /// Folds a node's contribution in, behind those before.
    void add(NodeId v);
    /// In bytes; of texts of one segment.
    [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
    /// The first byte of a result that differs from the fold so far, from byte `first` on; nothing if none does.
    [[nodiscard]] std::optional<std::uint64_t> first_difference(std::span<const std::byte> result,
                                                                std::uint64_t first = 0) const;
    /// first_difference() in the texts of so many segments, one behind the other.
    [[nodiscard]] std::optional<std::uint64_t> first_difference_of_texts(std::span<const std::byte> result,
                                                                         std::uint64_t segments) const;

  private:
    /// One element of the packets, summed up over the contributions so far.
    struct Sums {
        double magnitude = 0;         ///< of absolute values; of a product of |log2| of them
        double scaled = 0;            ///< of values, scaled so that it cannot overflow
        double scaled_magnitude = 0;  ///< of absolute values, scaled likewise
    };
    /// Whether some bracketing may give the number.
    [[nodiscard]] bool may_be(const Sums& sums, double right, double given) const;
    [[nodiscard]] bool may_be_product(const Sums& sums, double right, double given) const;

    const Folder& folder_;
    NodeId count_ = 0;  ///< of the contributions so far
    std::vector<std::byte> bytes_;
    std::vector<Sums> sums_;  ///< by element, where the brackets matter
};

/// A node's result as text.
struct ShownResult {
    NodeId node = no_node;
    std::string text;

    template <class Archive>
    void travel(Archive& archive) {
        archive(node, text);
    }
};

/// In the order of nodes.
[[nodiscard]] std::vector<std::string> texts_of(std::vector<ShownResult> shown);

/// Folds the contributions one after the other and compares the results that nodes of a share owe with it, and all with their
/// seals; what differs is reported. Returns those of the first `shown_max` nodes, or the root's (RunResult::results). O(N)
/// folds, or none where the root's result is another's; one task. Writes down the results that nodes owe in `book`, if given.
[[nodiscard]] std::vector<ShownResult> verify_results(const Folder& folder, const Collective& collective, NodeId nodes,
                                                      const NodeArray<Body*>& results, Auditor& auditor,
                                                      NodeId shown_max, const NodeShare& share = {},
                                                      AgreementBook* book = nullptr);
/// verify_results() of results that are elements, one of each node.
[[nodiscard]] std::vector<ShownResult> verify_results(const Folder& folder, const Collective& collective, NodeId nodes,
                                                      const HugeArray<Element>& results, Auditor& auditor,
                                                      NodeId shown_max, const NodeShare& share = {},
                                                      AgreementBook* book = nullptr);

}  // namespace kport
