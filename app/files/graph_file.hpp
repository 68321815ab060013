/// @file graph_file.hpp   Graphs from files.
#pragma once

#include <istream>
#include <memory>
#include <string>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The graph in a file: GraphML, DOT, METIS, edge list, Matrix Market or graph6, as its content says, else its ending, else an
/// edge list. Ports lead to the neighbours in ascending order; nodes have the names of the file (Topology::label). The
/// specification is "file:PATH".
///
/// Cost      O(bytes), and 16 bytes a link and the names while it is read.
/// Errors    RequestError with file, line and column for what is not in the format, and for what no machine is: a graph that is
///           empty, directed, weighted or not connected, a loop, a link twice. DoesNotFit where the memory does not suffice.
[[nodiscard]] std::shared_ptr<const Topology> read_graph(const std::string& path);
/// The same of a stream; `name` stands for the path.
[[nodiscard]] std::shared_ptr<const Topology> read_graph(std::istream& in, const std::string& name);

/// From here on make_topology() knows "file:PATH", and a path alone. Not while another thread may ask for a topology.
void know_graph_files();

}  // namespace kport
