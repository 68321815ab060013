#include <fmt/format.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// Words of D letters out of K, as numbers to the base K; ports 0 .. K-1 append a letter and drop the first, ports K .. 2K-1
/// prepend one and drop the last. Undirected, without loops and parallel links.
/// Source    de Bruijn, A combinatorial problem (1946); Bermond, Peyrat, De Bruijn and Kautz networks (1989).
class DeBruijn final : public ByRule<DeBruijn> {
  public:
    DeBruijn(std::uint64_t k, std::uint64_t d, NodeId nodes)
        : ByRule(fmt::format("debruijn:{},{}", k, d), nodes, static_cast<Port>(2 * k)), k_(k), d_(d), block_(nodes / k),
          by_k_(k), by_block_(block_) {}

    [[nodiscard]] NodeId named(NodeId v, Port p) const {
        return p < k_ ? appended(v) + p : by_k_.quotient(v) + (p - k_) * block_;
    }
    [[nodiscard]] Port first_port(NodeId v, NodeId w) const {
        if (const NodeId first = appended(v); w >= first && w - first < k_) return static_cast<Port>(w - first);
        const NodeId letter = by_block_.quotient(w);
        return by_k_.quotient(v) == w - letter * block_ ? static_cast<Port>(k_ + letter) : no_port;
    }
    /// Words of one repeated letter have loops on both sides; for words of two alternating letters both shifts give the
    /// same word.
    [[nodiscard]] Port max_degree() const override {
        return static_cast<Port>(d_ == 1 ? k_ - 1 : d_ == 2 ? 2 * k_ - 1 : 2 * k_);
    }
    [[nodiscard]] std::uint64_t channels() const override { return 2 * (nodes() * k_ - k_ - k_ * (k_ - 1) / 2); }
    [[nodiscard]] Hops diameter() const override { return d_; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return d_ == 1; }
    /// The words of 001001... form a cycle of three.
    [[nodiscard]] bool bipartite() const override { return nodes() == 2; }

  private:
    /// Appends the lowest letter and drops the first.
    [[nodiscard]] NodeId appended(NodeId v) const { return (v - by_block_.quotient(v) * block_) * k_; }

    std::uint64_t k_;
    std::uint64_t d_;
    NodeId block_;  ///< K^(D-1): number of words with the same first letter
    Divisor by_k_;
    Divisor by_block_;
};

}  // namespace

std::vector<TopologyFamily> families_in_debruijn() {
    return {{.name = "debruijn",
             .form = "debruijn:K,D",
             .about = "words of D letters out of K (at least 2); neighbours append or prepend one and drop another",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const auto [k, d] = given.numbers({{"number of letters", 2, nodes_max}, {"length", 1, 40}});
                 const NodeId nodes = given.power(k, d);
                 given.require_ports(2 * k);
                 return std::make_shared<const DeBruijn>(k, d, nodes);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (std::uint64_t k = 2; k <= 5; ++k)
                         for (const std::string& d : one_number(nodes, 1, [&](auto n) { return power_of(k, n); }))
                             found.push_back(fmt::format("{},{}", k, d));
                     return found;
                 }}};
}

}  // namespace kport
