#include "emulator/topology/family.hpp"
#include "emulator/topology/grid.hpp"

namespace kport {

std::vector<TopologyFamily> families_in_kary_cube() {
    return {
        {.name = "kary-cube",
         .form = "kary-cube:K,D",
         .about = "the torus of D sides of K nodes",
         .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
             const auto [side, dimensions] = given.numbers({{"side", 1, nodes_max}, {"number of dimensions", 1, 40}});
             (void)given.power(side, dimensions);
             return std::make_shared<const Grid>(GridKind::torus, std::vector<NodeId>(dimensions, side));
         },
         .members = [](NodeId) { return std::vector<std::string>(); },
         .drawn = DrawnAs::grid}};
}

}  // namespace kport
