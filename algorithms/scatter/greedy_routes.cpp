/// @file greedy_routes.cpp   Scatter and gather of packets that travel alone, planned: also through half duplex ports and in pairs.
#include "algorithms/support/greedy_routes.hpp"
#include "algorithms/adapted.hpp"

namespace kport {

std::vector<Algorithm> algorithms_in_scatter_greedy_routes() {
    return with_reversal(routes_row(Operation::scatter), Operation::gather);
}

}  // namespace kport
