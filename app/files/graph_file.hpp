/// @file graph_file.hpp   Graphs from files.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/link_prices.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

class Fabric;      // emulator/topology/fabric.hpp
class Parameters;  // emulator/topology/family.hpp

/// How a graph file is read where its content leaves a choice. The options of the command line have the same names.
struct GraphOptions {
    std::string format = {};          ///< "gml"; empty: found from the content, else from the file's ending
    std::string separator = {};       ///< of a list of links: "tab"; empty: found from its lines
    std::optional<bool> header = {};  ///< whether the first line of a list of links is a header; nothing: found
    std::string switches = {};        ///< "A,B,...", "inner" or "@ATTRIBUTE=VALUE"; empty: those that the file marks
    bool undirected = false;          ///< takes each arc as a link, opposite arcs as one
    bool trunks = false;              ///< c parallel links become one link of capacity c
    std::string capacity_by = {};     ///< an attribute of links that is their capacity; empty: none
    bool simplify = false;            ///< parallel links become one link, with the least weights
    bool largest = false;             ///< keeps only the largest connected part
    std::string node_values = {};     ///< an attribute of nodes whose values are kept

    bool operator==(const GraphOptions&) const = default;
};

/// A numeric attribute of links.
struct LinkAttribute {
    std::string name;
    std::vector<double> values;  ///< a link each, in the order of for_each_link(); NaN where a link has none
};

/// A graph as a file has it, and how it was read.
struct GraphFile {
    std::shared_ptr<const Topology> topology;  ///< hosts and switches alike are its nodes; hosts come first
    NodeId hosts = 0;
    std::vector<std::uint32_t> capacities = {};  ///< of the links, in the order of for_each_link(); empty: all 1
    std::vector<LinkAttribute> attributes = {};  ///< in the order in which they appear
    std::vector<std::string> node_values = {};   ///< by node, of the attribute asked for; empty where a node has none
    std::string_view format = {};                ///< "gml"
    std::string_view separator = {};             ///< of a list of links: "comma"; empty: other formats
    bool header = false;                         ///< the first line of a list of links is one
    std::uint64_t loops_dropped = 0;
    std::uint64_t parallel_merged = 0;    ///< links that --simplify merged into others
    std::uint64_t nodes_dropped = 0;      ///< that are not in the largest connected part
    std::vector<std::string> notes = {};  ///< what was decided, dropped, merged or ignored: a sentence a fact

    [[nodiscard]] NodeId switches() const { return topology->nodes() - hosts; }
    /// The sum of the links' capacities, both directions.
    [[nodiscard]] std::uint64_t channels() const;
};

/// Reads a graph file: any format of file_formats(), also compressed by gzip. The format follows from the content, else from the
/// ending of the name, else the file is a list of links. Ports lead to the neighbours in ascending order; nodes have the names of
/// the file (Topology::label). The specification is "file:NAME".
///
/// Cost      O(bytes + links log links); 28 bytes a link and the names while it is read.
/// Errors    RequestError with file, line and column for what is not in the format, and for what no machine is: a graph that is
///           empty, directed, not connected, or has parallel links, unless an option says how to take it. DoesNotFit where the
///           memory does not suffice.
[[nodiscard]] GraphFile read_graph_file(const std::string& path, const GraphOptions& options = {});
/// Reads a graph from a stream; `name` stands in messages and in the specification.
[[nodiscard]] GraphFile read_graph_file(std::istream& in, const std::string& name, const GraphOptions& options = {});

/// The prices of the links that --td-by and --tm-by name: an attribute, or "1/NAME", its reciprocals; empty: 1 for all. A link each,
/// from its lower node. Throws RequestError for attributes that are not there, links that lack one, and values that are no
/// prices.
[[nodiscard]] std::vector<LinkPrices::Priced> prices_of_links(const GraphFile& file, const PriceSources& sources);

/// The graph of a file as a machine runs on it: that of its hosts. Throws DoesNotFit as hosts_of() (emulator/topology/fabric.hpp).
[[nodiscard]] std::shared_ptr<const Topology> machine_graph(const GraphFile& file);
/// The hosts, switches and links of a file, with their capacities.
[[nodiscard]] std::shared_ptr<const Fabric> fabric_of(const GraphFile& file);

/// machine_graph(read_graph_file(...)).
[[nodiscard]] std::shared_ptr<const Topology> read_graph(const std::string& path);
[[nodiscard]] std::shared_ptr<const Topology> read_graph(std::istream& in, const std::string& name);

/// From here on make_topology() knows "file:PATH", and a path alone. Not while another thread may ask for a topology.
void know_graph_files();
/// As above, with functions of the caller's own (TopologyFamily::build, means). Only the first call of either counts.
void know_graph_files(std::shared_ptr<const Topology> (*build)(const Parameters& path),
                      bool (*means)(std::string_view spec));

}  // namespace kport
