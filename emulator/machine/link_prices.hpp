/// @file link_prices.hpp   Prices of links that differ: factors on td and tm.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The factors of a link: `hop` on td, at least 0; `byte` on tm, above 0. Of a path: the sum of the hops, the largest byte,
/// since the bytes of a message pass all links at once, at the pace of the slowest.
struct LinkPrice {
    double hop = 1;
    double byte = 1;

    bool operator==(const LinkPrice&) const = default;
};

/// Throws RequestError, which begins with where(), unless both factors are in range and at most 1e100.
void require_valid(const LinkPrice& price, const std::function<std::string()>& where);

/// Where the prices of links come from, in words.
struct PriceSources {
    std::string hop_by = {};   ///< an attribute of links in the graph file, "latency" or "1/speed"; empty: none
    std::string byte_by = {};  ///< as hop_by
    std::vector<std::string> slow = {};  ///< "A--B=F" and "V=F": links, or all links of a node, F times as dear

    bool operator==(const PriceSources&) const = default;
};

/// The prices of the links of a graph, of hosts and switches alike. A link that is not listed, or not there, has factors 1.
///
/// Callers   any thread.
/// Memory    32 bytes a listed channel.
/// Cost      O(log listed channels) a link.
class LinkPrices {
  public:
    /// A link by its channel from one end.
    struct Priced {
        NodeId node;
        Port port;
        LinkPrice price;

        bool operator==(const Priced&) const = default;
    };

    /// Knows only where prices come from; a run needs them.
    explicit LinkPrices(PriceSources sources) : sources_(std::move(sources)) {}
    /// `links`: prices by attributes, from either end of each link; slow parts are read from `sources`, and their factors
    /// multiply. Throws RequestError for slow parts that are not there and for prices out of range.
    LinkPrices(PriceSources sources, const Topology& graph, const std::vector<Priced>& links = {});

    [[nodiscard]] const PriceSources& sources() const { return sources_; }
    /// Whether the prices of the links are there, and not only their sources.
    [[nodiscard]] bool known() const { return known_; }
    /// Returns the price of the link at port p of v.
    [[nodiscard]] LinkPrice of(NodeId v, Port p) const;
    /// Returns the price of a path that leaves v by these ports.
    [[nodiscard]] LinkPrice of_path(const Topology& graph, NodeId v, std::span<const Port> ports) const;
    /// Return the least, and the largest, of each factor over all links.
    [[nodiscard]] const LinkPrice& least() const { return least_; }
    [[nodiscard]] const LinkPrice& most() const { return most_; }

    bool operator==(const LinkPrices&) const = default;

  private:
    void add(const Topology& graph, const Priced& link);
    void add_slow_parts(const Topology& graph);
    /// Sorts the channels, and multiplies the factors of those that are listed several times.
    void merge();

    PriceSources sources_;
    bool known_ = false;
    std::vector<Priced> channels_;  ///< ascending by node and port; both channels of each link
    LinkPrice least_;
    LinkPrice most_;
};

}  // namespace kport
