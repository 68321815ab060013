/// @file graphs.hpp   Graphs in files, as far as the client of a request allows them.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/graph_file.hpp"
#include "app/files/promise_file.hpp"
#include "app/requests/command_line.hpp"
#include "app/requests/request.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::requests {

/// Makes the family "file" known to make_topology(), once; call it before know_graph_files(), which it replaces. Not while another
/// thread may ask for a topology, unless it does so by this function.
void know_graphs_of_requests();

/// The options for reading graph files among the words. Throws RequestError for a value that is none.
[[nodiscard]] GraphOptions graph_options_of(const Words& words);

/// While one lives, make_topology() on this thread reads graph files as the words of the request say, only those that the client
/// allows, and "-" from the input of the request. What a reading drops, merges or ignores becomes a warning, once. Schedules name
/// topologies, too: whatever reads one is held to this.
class GraphsOfRequest {
  public:
    explicit GraphsOfRequest(Request& request);
    ~GraphsOfRequest();
    GraphsOfRequest(const GraphsOfRequest&) = delete;
    GraphsOfRequest& operator=(const GraphsOfRequest&) = delete;

    /// The graph in the file, or in the input, which is read once. Throws RequestError, also where the client does not allow it.
    [[nodiscard]] GraphFile graph(const std::string& path);
    /// graph(), as a machine on which something runs; its notes become warnings.
    [[nodiscard]] std::shared_ptr<const Topology> machine(const std::string& path);
    /// The values of an attribute of the nodes; empty where none has it.
    [[nodiscard]] std::vector<std::string> node_values(const std::string& path, const std::string& attribute);
    [[nodiscard]] bool may_read(const std::string& path) const;
    /// Whether one lives on this thread.
    [[nodiscard]] static bool is_here();
    /// Returns which attributes of links the words take as prices.
    [[nodiscard]] PriceSources price_sources() const;
    /// The note that runs ignore the weights of links, but for those that are prices or capacities; empty where there are none.
    [[nodiscard]] std::string note_of_weights(const GraphFile& file) const;
    /// Reads graph files from here on as these words say. Returns the words so far.
    Words read_as(const Words& words);
    /// Throws RequestError where words say how graph files are read and none was.
    void require_options_used() const;

  private:
    Request& request_;
    Words words_;  ///< that say how graph files are read
    GraphOptions options_;
    GraphsOfRequest* before_;
    std::optional<GraphFile> of_input_;
    std::set<std::string> warned_;
    bool has_read_ = false;
};

/// While one lives, this thread reads graph files as these words say: those of the request and of a schedule that it reads.
class GraphsReadAs {
  public:
    explicit GraphsReadAs(const Words& words) : before_(as(words)) {}
    ~GraphsReadAs() { (void)as(before_); }
    GraphsReadAs(const GraphsReadAs&) = delete;
    GraphsReadAs& operator=(const GraphsReadAs&) = delete;
    /// Reads graph files as these words say from here on.
    void read_as(const Words& words) { (void)as(words); }

  private:
    /// Returns the words so far.
    static Words as(const Words& words);
    Words before_;
};

/// Reads the list of a permutation that names a file of it, where the client may read it. Throws RequestError.
void know_permutation(Permutation& permutation, NodeId nodes);

/// Gives the collective the numbers of packets that --counts names, or its file, where the client may read it: of its operation, with
/// that many nodes; `option` --sizes: the bytes of a packet each. Throws RequestError.
void know_counts(Collective& collective, std::string_view option, const std::string& counts, NodeId nodes,
                 std::uint64_t seed);

/// Reads the promise in a file, where the client may read it. `topology`: null if the file says it. Throws RequestError.
[[nodiscard]] ToldPromise promise_named(const std::string& path, std::shared_ptr<const Topology> topology,
                                        std::uint64_t packet_bytes);

/// Gives the machine the limits of ports that an attribute of the nodes of its graph file says: "S:R" or "K"; nodes without one
/// have those of the machine. Does nothing to a machine without such an attribute. Throws RequestError.
void know_node_ports(Machine& machine);

/// Gives the machine the prices of links that attributes of its graph file and slow parts say. Does nothing to a machine without
/// such prices. Throws RequestError.
void know_link_prices(Machine& machine);

/// A graph that is described and not run on: a file with switches or trunks is taken as it is, with its notes. Throws RequestError.
struct DescribedGraph {
    std::shared_ptr<const Topology> topology;
    std::optional<GraphFile> file;                   ///< nothing: no graph file
    std::shared_ptr<const Fabric> fabric = nullptr;  ///< null: neither switches nor trunks

    /// The graph of hosts and switches.
    [[nodiscard]] const Topology& graph() const { return file ? *file->topology : topology->wires(); }
    [[nodiscard]] std::shared_ptr<const Topology> shared_graph() const;
    [[nodiscard]] NodeId hosts() const { return file ? file->hosts : topology->nodes(); }
    [[nodiscard]] bool has_trunks() const;
};
[[nodiscard]] DescribedGraph described_graph(const std::string& spec);

}  // namespace kport::requests
