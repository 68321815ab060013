#include <fmt/format.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// Words of D letters out of K+1 without equal neighbours, in lexicographic order: the number encodes the first letter,
/// then for each other letter its index among the allowed ones. Ports 0 .. K-1 append a letter and drop the first,
/// ports K .. 2K-1 prepend one and drop the last. Undirected, without parallel links.
/// Source    Kautz, Bounds on directed (d,k) graphs (1968); Bermond, Peyrat, De Bruijn and Kautz networks (1989).
class Kautz final : public ByRule<Kautz> {
  public:
    Kautz(std::uint64_t k, std::uint64_t d, NodeId nodes)
        : ByRule(fmt::format("kautz:{},{}", k, d), nodes, static_cast<Port>(2 * k)), k_(k), d_(d),
          block_(nodes / (k + 1)), by_k_(k), by_block_(block_), by_second_(d_ == 1 ? 1 : block_ / k) {}

    [[nodiscard]] NodeId named(NodeId v, Port p) const {
        const NodeId first = by_block_.quotient(v);
        if (d_ == 1) return without(first, p < k_ ? p : p - k_);
        return p < k_ ? appended(v) + p : prepended(v, without(first, p - k_));
    }
    [[nodiscard]] Port first_port(NodeId v, NodeId w) const {
        const NodeId first = by_block_.quotient(v);
        const NodeId letter = by_block_.quotient(w);
        const NodeId place = letter > first ? letter - 1 : letter;
        if (d_ == 1) return v == w ? no_port : static_cast<Port>(place);
        if (const NodeId lowest = appended(v); w >= lowest && w - lowest < k_) return static_cast<Port>(w - lowest);
        return letter != first && prepended(v, letter) == w ? static_cast<Port>(k_ + place) : no_port;
    }
    /// For words of two alternating letters both shifts give the same word.
    [[nodiscard]] Port max_degree() const override {
        return static_cast<Port>(d_ == 1 ? k_ : d_ == 2 || k_ == 1 ? 2 * k_ - 1 : 2 * k_);
    }
    [[nodiscard]] std::uint64_t channels() const override { return 2 * (nodes() * k_ - k_ * (k_ + 1) / 2); }
    [[nodiscard]] Hops diameter() const override { return k_ == 1 ? 1 : d_; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return d_ <= 2 || k_ == 1; }
    /// The words of 012012... form a cycle of three.
    [[nodiscard]] bool bipartite() const override { return k_ == 1; }

  private:
    /// Appends the lowest allowed letter and drops the first. Words of two letters or more.
    [[nodiscard]] NodeId appended(NodeId v) const {
        const NodeId first = by_block_.quotient(v);
        const NodeId rest = v - first * block_;
        const NodeId second = by_second_.quotient(rest);
        return without(first, second) * block_ + (rest - second * (block_ / k_)) * k_;
    }
    /// Prepends `letter`, which differs from the first one, and drops the last.
    [[nodiscard]] NodeId prepended(NodeId v, NodeId letter) const {
        const NodeId first = by_block_.quotient(v);
        const NodeId place = first > letter ? first - 1 : first;
        return letter * block_ + place * (block_ / k_) + by_k_.quotient(v - first * block_);
    }
    /// Returns the letter at index `place` among all but `letter`.
    [[nodiscard]] static NodeId without(NodeId letter, NodeId place) { return place >= letter ? place + 1 : place; }

    std::uint64_t k_;
    std::uint64_t d_;
    NodeId block_;  ///< K^(D-1): number of words with the same first letter
    Divisor by_k_;
    Divisor by_block_;
    Divisor by_second_;  ///< divides by the number of words with the same first two letters
};

}  // namespace

std::vector<TopologyFamily> families_in_kautz() {
    return {
        {.name = "kautz",
         .form = "kautz:K,D",
         .about = "words of D letters out of K+1, no two alike side by side; neighbours as in debruijn",
         .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
             const auto [k, d] = given.numbers({{"number of letters less one", 1, nodes_max - 1}, {"length", 1, 40}});
             const NodeId block = given.power(k, d - 1);
             given.require_nodes(static_cast<double>(block) * static_cast<double>(k + 1));
             given.require_ports(2 * k);
             return std::make_shared<const Kautz>(k, d, block * (k + 1));
         },
         .members =
             [](NodeId nodes) {
                 std::vector<std::string> found;
                 for (std::uint64_t k = 2; k <= 5; ++k)
                     for (const std::string& d :
                          one_number(nodes, 1, [&](auto n) { return power_of(k, n - 1) * (k + 1); }))
                         found.push_back(fmt::format("{},{}", k, d));
                 if (nodes == 2) found.emplace_back("1,3");
                 return found;
             }}};
}

}  // namespace kport
