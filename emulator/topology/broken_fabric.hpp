/// @file broken_fabric.hpp   Machines with switches that have broken parts.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "emulator/topology/broken.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

/// What is left of hosts and switches: switches without a way to a host are dropped. Ports keep their labels, and broken
/// ones lead nowhere.
///
/// Memory   as StoredFabric.
class BrokenFabric final : public StoredFabric, public Remains {
  public:
    /// What is left of the machine whose graph of hosts this is, under this specification. Throws as BrokenTopology, and
    /// DoesNotFit for fabrics of more than 2^26 channels.
    [[nodiscard]] static std::shared_ptr<const BrokenFabric> of(const std::shared_ptr<const Topology>& hosts,
                                                                const BrokenParts& parts, std::string spec);

    [[nodiscard]] std::string own_label(NodeId v) const override { return label_left(v); }
    /// Reads a name or number of the whole graph; "=3" is number 3 of what is left. Throws RequestError for a broken one.
    [[nodiscard]] NodeId own_node(std::string_view text) const override;

    struct Left;
    explicit BrokenFabric(const Left& left);
};

}  // namespace kport
