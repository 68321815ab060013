#include <algorithm>

#include "emulator/topology/topology.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

/// "mesh:3x4", and on a second line a node as --source has it.
void topology(std::string_view text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto made = make_topology(text.substr(0, end));
    expect(make_topology(made->spec())->spec() == made->spec(), "a specification of a topology is read again");
    expect(made->nodes() >= 1, "a topology has nodes");
    if (end < text.size()) expect(made->node(text.substr(end + 1)) < made->nodes(), "a node is one of the topology");
}

}  // namespace kport::fuzz
