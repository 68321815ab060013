#include <fmt/format.h>

#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// Words of D bits: port 0 flips the lowest bit, port 1 rotates the word to the left, port 2 to the right.
/// Source    Stone, Parallel processing with the perfect shuffle, IEEE ToC 20 (1971).
class ShuffleExchange final : public ByRule<ShuffleExchange> {
  public:
    static constexpr std::uint64_t most = 40;

    explicit ShuffleExchange(std::uint64_t d)
        : ByRule(fmt::format("shuffle-exchange:{}", d), NodeId{1} << d, 3), d_(d) {}

    [[nodiscard]] NodeId named(NodeId v, Port p) const {
        if (p == 0) return v ^ 1;
        const NodeId left = (v << 1 | v >> (d_ - 1)) & (nodes() - 1);
        return p == 1 ? left : v >> 1 | (v & 1) << (d_ - 1);
    }
    [[nodiscard]] Port first_port(NodeId v, NodeId w) const {
        for (Port p = 0; p < ports(); ++p)
            if (named(v, p) == w) return p;
        return no_port;
    }
    [[nodiscard]] Port max_degree() const override { return d_ == 2 ? 2 : 3; }
    /// N/2 exchanges; a rotation for each word except 00..0 and 11..1, and one for the two words 01..01 and 10..10.
    [[nodiscard]] std::uint64_t channels() const override {
        return 2 * (nodes() / 2 + nodes() - 2 - (d_ % 2 == 0 ? 1 : 0));
    }
    [[nodiscard]] Hops diameter() const override { return 2 * d_ - 1; }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        return PublishedSchedule{2 * d_ - 1, "Hromkovic, Jeschke, Monien 1993"};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return false; }

  private:
    std::uint64_t d_;
};

}  // namespace

std::vector<TopologyFamily> families_in_shuffle_exchange() {
    return {{.name = "shuffle-exchange",
             .form = "shuffle-exchange:D",
             .about = "words of D bits, 2 to 40; neighbours flip the lowest bit or turn the word",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const ShuffleExchange>(given.number({"dimension", 2, ShuffleExchange::most}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 2, [](auto d) { return NodeId{1} << d; }); }}};
}

}  // namespace kport
