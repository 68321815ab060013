/// @file gexf.cpp   GEXF: nodes, edges, their labels, weights and attributes.
/// Source    gexf.net/schema.html
#include <map>
#include <optional>

#include <fmt/format.h>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/xml_events.hpp"

namespace kport {
namespace {

class GexfReader final : public XmlEvents {
  public:
    GexfReader(TextSource& text, GraphBuilder& into) : XmlEvents(text), into_(into) { into_.expect_declarations(); }

    void read_graph() {
        read();
        if (!graph_seen_) text().refuse("no <graph> in it; want one");
    }

  private:
    enum class Within : std::uint8_t { outside, node, edge };
    struct Attribute {
        std::string title;
        bool numeric;
        std::optional<std::string> otherwise;
    };
    using Attributes = std::map<std::string, Attribute, std::less<>>;

    void begin_element(std::string_view name, const XmlAttributes& attributes) override {
        if (depth_++ == 0 && name != "gexf") refuse("no GEXF; want <gexf>");
        if (name == "graph") {
            if (graph_seen_) refuse("a second <graph>; want one a file");
            graph_seen_ = true;
            directed_ = attributes.value("defaultedgetype") == "directed";
        } else if (name == "attributes") {
            class_ = attributes.value("class") == "edge" ? &of_edges_ : &of_nodes_;
        } else if (name == "attribute") {
            const std::string_view type = attributes.value("type").value_or("string");
            attribute_ = &(*class_)[std::string(wanted(attributes, name, "id"))];
            *attribute_ = {std::string(wanted(attributes, name, "title")),
                           type == "integer" || type == "long" || type == "float" || type == "double",
                           {}};
        } else if (name == "default" && attribute_ != nullptr) {
            in_default_ = true;
            attribute_->otherwise.emplace();
        } else if (name == "node") {
            begin_node(attributes);
        } else if (name == "edge") {
            begin_edge(attributes);
        } else if (name == "attvalue" && within_ != Within::outside) {
            put(attributes.value("for").value_or(attributes.value("id").value_or("")),
                wanted(attributes, name, "value"));
        }
    }

    void begin_node(const XmlAttributes& attributes) {
        node_ = into_.declare(wanted(attributes, "node", "id"), place());
        within_ = Within::node;
        if (const auto label = attributes.value("label"))
            into_.call(GraphBuilder::Called::label, node_, *label, place());
        for (const char* attribute : {"kind", "type"})
            if (const auto value = attributes.value(attribute)) into_.node_attribute(node_, attribute, *value);
        for (const auto& [id, attribute] : of_nodes_)
            if (attribute.otherwise) into_.node_attribute(node_, attribute.title, *attribute.otherwise);
    }

    void begin_edge(const XmlAttributes& attributes) {
        const TextPlace at = place();
        const std::optional<std::string_view> type = attributes.value("type");
        if (type ? *type == "directed" : directed_)
            into_.require_undirected(type ? "an edge" : "the graph (defaultedgetype)", at);
        const std::uint32_t source = into_.node(wanted(attributes, "edge", "source"), at);
        into_.link(source, into_.node(wanted(attributes, "edge", "target"), at), at);
        within_ = Within::edge;
        if (const auto weight = attributes.value("weight")) into_.set("weight", *weight);
        for (const auto& [id, attribute] : of_edges_)
            if (attribute.numeric && attribute.otherwise) into_.set(attribute.title, *attribute.otherwise);
    }

    void put(std::string_view id, std::string_view value) {
        const Attributes& known = within_ == Within::node ? of_nodes_ : of_edges_;
        const auto attribute = known.find(id);
        if (attribute == known.end()) return;
        if (within_ == Within::node)
            into_.node_attribute(node_, attribute->second.title, value);
        else if (attribute->second.numeric)
            into_.set(attribute->second.title, value);
    }

    void add_text(std::string_view piece) override {
        if (in_default_ && attribute_->otherwise->size() < TextSource::word_max) *attribute_->otherwise += piece;
    }

    void end_element() override {
        --depth_;
        in_default_ = false;
    }

    GraphBuilder& into_;
    std::uint64_t depth_ = 0;
    bool graph_seen_ = false;
    bool directed_ = false;
    Within within_ = Within::outside;  ///< the last node or edge that began
    std::uint32_t node_ = 0;
    Attributes of_nodes_;
    Attributes of_edges_;
    Attributes* class_ = &of_nodes_;
    Attribute* attribute_ = nullptr;  ///< the last one that was declared
    bool in_default_ = false;
};

}  // namespace

void read_gexf(TextSource& text, GraphBuilder& into) { GexfReader(text, into).read_graph(); }

}  // namespace kport
