#include "algorithms/support/grid_boxes.hpp"

#include <algorithm>
#include <numeric>

namespace kport {

std::vector<unsigned> ascending_dimensions(const Grid& grid) {
    std::vector<unsigned> order(static_cast<std::size_t>(grid.dimensions()));
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

void GridBoxes::add(OffsetLists& axes, Offsets axis) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Offsets other = axes[i];
        const bool above = axis.stride == other.stride * other.count;
        const bool below = other.stride == axis.stride * axis.count;
        if (!above && !below) continue;
        axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
        return add(axes, {std::min(axis.stride, other.stride), axis.count * other.count});
    }
    if (axis.count > 1) axes.push_back(axis);
}

GridBoxes::GridBoxes(const Grid& grid, const std::vector<unsigned>& order)
    : grid_(&grid), order_(order.begin(), order.end()), later_(order.size()) {
    for (std::size_t i = order_.size() - 1; i-- > 0;) {
        later_[i] = later_[i + 1];
        add(later_[i], {grid.stride(order_[i + 1]), grid.side(order_[i + 1])});
    }
}

PacketSet GridBoxes::packets(NodeId v, std::size_t i, NodeId first, NodeId count) const {
    const int dimension = order_[i];
    const NodeId side = grid_->side(dimension);
    NodeId lowest = v;
    for (const Offsets& axis : later_[i]) lowest -= v / axis.stride % axis.count * axis.stride;

    PacketSet packets;
    const auto add_box = [&](NodeId from, NodeId coordinates) {
        OffsetLists axes = later_[i];
        add(axes, {grid_->stride(dimension), coordinates});
        Offsets longest{1, 1};
        if (const auto found = std::ranges::max_element(axes, {}, &Offsets::count); found != axes.end()) {
            longest = *found;
            axes.erase(found);
        }
        NodeId others = 1;
        for (const Offsets& axis : axes) others *= axis.count;
        const NodeId corner = grid_->with_coordinate(lowest, dimension, from);
        for (NodeId combination = 0; combination < others; ++combination) {
            NodeId begin = corner;
            NodeId rest = combination;
            for (const Offsets& axis : axes) {
                begin += rest % axis.count * axis.stride;
                rest /= axis.count;
            }
            packets.add(PacketBlock{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(longest.stride),
                                    static_cast<std::uint32_t>(longest.count)});
        }
    };
    const NodeId before_wrap = std::min(count, side - first);
    add_box(first, before_wrap);
    if (count > before_wrap) add_box(0, count - before_wrap);
    return packets;
}

}  // namespace kport
