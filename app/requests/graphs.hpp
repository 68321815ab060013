/// @file graphs.hpp   Graphs in files, as far as the client of a request allows them.
#pragma once

#include "app/requests/request.hpp"

namespace kport::requests {

/// Makes the family "file" known to make_topology(), once; call it before know_graph_files(), which it replaces. Not while another
/// thread may ask for a topology, unless it does so by this function.
void know_graphs_of_requests();

/// While one lives, make_topology() on this thread reads only files that the client allows, and "-" from the input of the request.
/// Schedules name topologies, too: whatever reads one is held to this.
class GraphsOfRequest {
  public:
    explicit GraphsOfRequest(Request& request);
    ~GraphsOfRequest();
    GraphsOfRequest(const GraphsOfRequest&) = delete;
    GraphsOfRequest& operator=(const GraphsOfRequest&) = delete;

    /// The graph in the file, or in the input, which is read once. Throws RequestError, also where the client does not allow it.
    [[nodiscard]] std::shared_ptr<const Topology> graph(const std::string& path);
    [[nodiscard]] bool may_read(const std::string& path) const;

  private:
    Request& request_;
    GraphsOfRequest* before_;
    std::shared_ptr<const Topology> of_input_;
};

}  // namespace kport::requests
