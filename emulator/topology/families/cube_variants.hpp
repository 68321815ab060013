/// @file cube_variants.hpp   Base of hypercubes some of whose links are exchanged.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "emulator/topology/topology.hpp"

namespace kport {

/// 2^D nodes of D ports; a link has the same port at both ends. Family defines `NodeId neighbour(NodeId v, Port p)
/// const`.
template <class Family>
class CubeVariant : public RegularTopology {
  public:
    static constexpr std::uint64_t dimensions_most = 40;

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const final {
        return {static_cast<const Family&>(*this).neighbour(v, p), p};
    }
    /// The highest dimension joins two halves that are variants with one dimension less.
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        return PublishedSchedule{ports(), "one dimension after the other, the highest first"};
    }
    /// These variants have odd cycles from dimension 3 on, where links are exchanged.
    [[nodiscard]] bool bipartite() const override { return ports() <= 2; }

  private:
    friend Family;
    CubeVariant(std::string spec, std::uint64_t d)
        : RegularTopology(std::move(spec), NodeId{1} << d, static_cast<Port>(d)) {}
};

}  // namespace kport
