/// @file greedy_routes.cpp   All-to-all scatter of packets that travel alone, planned.
#include "algorithms/support/greedy_routes.hpp"

namespace kport {

std::vector<Algorithm> algorithms_in_alltoall_greedy_routes() { return {routes_row(Operation::alltoall)}; }

}  // namespace kport
