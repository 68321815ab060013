#include "emulator/machine/link_prices.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/broken.hpp"

namespace kport {

void require_valid(const LinkPrice& price, const std::function<std::string()>& where) {
    constexpr double most = 1e100;  // as a price: no sum of products with counts overflows
    if (!std::isfinite(price.hop) || price.hop < 0 || price.hop > most)
        throw RequestError(fmt::format("{} has factor {} on td; want a number from 0 to {}", where(), price.hop, most));
    if (!std::isfinite(price.byte) || price.byte <= 0 || price.byte > most)
        throw RequestError(
            fmt::format("{} has factor {} on tm; want a number above 0, at most {}", where(), price.byte, most));
}

LinkPrices::LinkPrices(PriceSources sources, const Topology& graph, const std::vector<Priced>& links)
    : sources_(std::move(sources)), known_(true) {
    for (const Priced& link : links) add(graph, link);
    if (!sources_.slow.empty()) add_slow_parts(graph);
    merge();
    const bool all_listed = !channels_.empty() && channels_.size() == graph.channels();  // the others have factors 1
    if (all_listed) least_ = most_ = channels_.front().price;
    for (const Priced& channel : channels_) {
        require_valid(channel.price, [&] {
            return fmt::format("the link at port {} of node {}", channel.port, graph.name(channel.node));
        });
        least_ = {std::min(least_.hop, channel.price.hop), std::min(least_.byte, channel.price.byte)};
        most_ = {std::max(most_.hop, channel.price.hop), std::max(most_.byte, channel.price.byte)};
    }
}

void LinkPrices::add(const Topology& graph, const Priced& link) {
    channels_.push_back(link);
    const LinkEnd end = graph.across(link.node, link.port);
    channels_.push_back({end.node, end.port, link.price});
}

void LinkPrices::add_slow_parts(const Topology& graph) {
    const std::string text = fmt::format("{}", fmt::join(sources_.slow, ","));
    sources_.slow.clear();
    for (const SlowPart& part : slow_parts(graph, text, fmt::format("slow {}", quoted(text)))) {
        const LinkPrice price{part.factor, part.factor};
        sources_.slow.push_back(part.text);
        if (part.to != no_node)
            add(graph, {part.from, graph.port_to(part.from, part.to), price});
        else
            for_each_neighbour(graph, part.from, [&](NodeId, Port port) { add(graph, {part.from, port, price}); });
    }
}

void LinkPrices::merge() {
    const auto channel = [](const Priced& one) { return std::pair(one.node, one.port); };
    std::ranges::stable_sort(channels_, {}, channel);
    std::size_t kept = 0;
    for (const Priced& one : channels_) {
        if (kept == 0 || channel(channels_[kept - 1]) != channel(one)) {
            channels_[kept++] = one;
            continue;
        }
        LinkPrice& product = channels_[kept - 1].price;
        product = {product.hop * one.price.hop, product.byte * one.price.byte};
    }
    channels_.resize(kept);
}

LinkPrice LinkPrices::of(NodeId v, Port p) const {
    const auto at = std::ranges::lower_bound(channels_, std::pair(v, p), {},
                                             [](const Priced& one) { return std::pair(one.node, one.port); });
    return at != channels_.end() && at->node == v && at->port == p ? at->price : LinkPrice{};
}

LinkPrice LinkPrices::of_path(const Topology& graph, NodeId v, std::span<const Port> ports) const {
    LinkPrice path{0, 0};
    for (const Port port : ports) {
        const bool is_there = v != no_node && port < graph.ports();
        const LinkPrice link = is_there ? of(v, port) : LinkPrice{};
        path = {path.hop + link.hop, std::max(path.byte, link.byte)};
        v = is_there ? graph.across(v, port).node : no_node;
    }
    return path;
}

}  // namespace kport
