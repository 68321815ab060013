#include "app/pictures/characters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/pictures/layout.hpp"

namespace kport {
namespace {

struct Spot {
    int x = 0;
    int y = 0;
};

/// A grid of characters. Nodes are placed first, then links where there is room.
class Field {
  public:
    Field(int width, int height)
        : lines_(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), ' ')) {}

    void put(const Spot& at, char c) {
        lines_.at(static_cast<std::size_t>(at.y)).at(static_cast<std::size_t>(at.x)) = c;
    }
    [[nodiscard]] char at(const Spot& place) const {
        return lines_.at(static_cast<std::size_t>(place.y)).at(static_cast<std::size_t>(place.x));
    }
    [[nodiscard]] bool is_free(const Spot& place) const { return at(place) == ' '; }
    /// Draws what other links leave free; nothing if a node is in the way.
    void put_link(const std::vector<std::pair<Spot, char>>& stroke) {
        const auto is_text = [&](const auto& dot) {
            return !is_free(dot.first) && std::string_view("-|/\\_").find(at(dot.first)) == std::string_view::npos;
        };
        if (std::ranges::any_of(stroke, is_text)) return;
        for (const auto& [place, c] : stroke)
            if (is_free(place)) put(place, c);
    }
    [[nodiscard]] std::string text(std::string_view indent) const {
        std::string all;
        for (const std::string& line : lines_) {
            all += std::string(indent) + line;
            all.erase(all.find_last_not_of(' ') + 1);
            all += '\n';
        }
        return all;
    }

  private:
    std::vector<std::string> lines_;
};

/// Returns the stroke from a node to one below it or beside it. `ends`: how far its text reaches to the left and to the
/// right.
std::vector<std::pair<Spot, char>> stroke_between(Spot a, Spot b, int ends) {
    std::vector<std::pair<Spot, char>> stroke;
    if (a.y > b.y || (a.y == b.y && a.x > b.x)) std::swap(a, b);
    const int dx = b.x - a.x;
    const int dy = b.y - a.y;
    if (dy == 0) {
        for (int x = a.x + ends; x <= b.x - ends; ++x) stroke.push_back({{x, a.y}, '-'});
        return stroke;
    }
    const int side = dx < 0 ? -1 : 1;
    if (dx == 0) {
        for (int y = a.y + 1; y < b.y; ++y) stroke.push_back({{a.x, y}, '|'});
        return stroke;
    }
    if (std::abs(dx) > 2 * dy + 1) {  // flat: next to the upper node, then down
        for (int x = a.x + side * ends; x != b.x - side && (b.x - side - x) * side > 0; x += side)
            stroke.push_back({{x, a.y}, '_'});
        for (int y = a.y + 1; y < b.y; ++y) stroke.push_back({{b.x - side, y}, side < 0 ? '/' : '\\'});
        return stroke;
    }
    for (int y = a.y + 1; y < b.y; ++y)
        stroke.push_back({{a.x + static_cast<int>(std::lround(static_cast<double>(dx) * (y - a.y) / dy)), y},
                          side < 0 ? '/' : '\\'});
    return stroke;
}

bool can_be_drawn(const Topology& topology) {
    constexpr NodeId nodes_most = 256;
    constexpr NodeId cube_most = 16;
    if (topology.nodes() > nodes_most) return false;
    switch (drawn_as(topology)) {
        case DrawnAs::grid:
        case DrawnAs::levels: return true;
        case DrawnAs::cube: return topology.nodes() <= cube_most;
        default: return false;
    }
}

struct Link {
    NodeId a;
    NodeId b;
    double length;
};

std::vector<Link> links_by_length(const Topology& topology, const Layout& layout) {
    std::vector<Link> links;
    for_each_link(topology, [&](NodeId v, NodeId w) { links.push_back({v, w, distance(layout.at[v], layout.at[w])}); });
    std::ranges::stable_sort(links, {}, &Link::length);
    return links;
}

/// Characters and lines for a unit of the layout.
struct Scale {
    double along;
    double down;
};

/// Steps along rows and columns are whole characters and lines, so that regular drawings stay regular.
Scale scale_of(const Topology& topology, const Layout& layout, const std::vector<Link>& links, std::size_t longest,
               std::size_t width) {
    const auto letters = static_cast<double>(longest);
    if (drawn_as(topology) == DrawnAs::levels) {
        constexpr double leaf = 1.1;
        const double level = links.empty() ? 1 : std::abs(layout.at[links[0].a].y - layout.at[links[0].b].y);
        const bool has_room = layout.corner.x / leaf * (letters + 3) + letters < static_cast<double>(width);
        return {(letters + (has_room ? 3 : 1)) / leaf, 2 / level};
    }
    double row = 0;
    double column = 0;
    double slant = 0;
    for (const Link& link : links) {
        const double dx = std::abs(layout.at[link.a].x - layout.at[link.b].x);
        const double dy = std::abs(layout.at[link.a].y - layout.at[link.b].y);
        constexpr double nothing = 1e-6;
        if (dy < nothing && row == 0) row = dx;
        if (dx < nothing && column == 0) column = dy;
        if (dx > nothing && dy > nothing && slant == 0) slant = dy;
    }
    if (column == 0) column = 1;
    const double lines = slant == 0 ? 2 : std::ceil(1.6 * column / slant);  // a slanting link takes at least one line
    return {(letters + (slant == 0 ? 3 : 7)) / (row == 0 ? 1 : row), lines / column};
}

}  // namespace

std::string drawn_with_characters(const Topology& topology, const std::vector<std::string>& texts, std::size_t width) {
    constexpr std::string_view indent = "  ";
    if (!can_be_drawn(topology)) return "";
    const Layout layout = layout_of(topology);
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    const int half = static_cast<int>(longest / 2);
    const std::vector<Link> links = links_by_length(topology, layout);
    const Scale scale = scale_of(topology, layout, links, longest, width - indent.size());
    std::vector<Spot> cells;
    Spot corner;
    for (const Point& place : layout.at) {
        cells.push_back({half + static_cast<int>(std::lround(place.x * scale.along)),
                         static_cast<int>(std::lround(place.y * scale.down))});
        corner = {std::max(corner.x, cells.back().x), std::max(corner.y, cells.back().y)};
    }
    const int field_width = corner.x + static_cast<int>(longest) + 1;
    if (static_cast<std::size_t>(field_width) + indent.size() > width) return "";
    Field field(field_width, corner.y + 1);
    for (NodeId v = 0; v < cells.size(); ++v) {
        const std::string& text = texts[v];
        const int left = cells[v].x - static_cast<int>(text.size() / 2);
        for (std::size_t i = 0; i < text.size(); ++i) {
            const Spot at{left + static_cast<int>(i), cells[v].y};
            if (!field.is_free(at)) return "";
            field.put(at, text[i]);
        }
    }
    for (const Link& link : links) field.put_link(stroke_between(cells[link.a], cells[link.b], half + 1));
    return field.text(indent);
}

}  // namespace kport
