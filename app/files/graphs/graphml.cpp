/// @file graphml.cpp   GraphML: nodes and edges of one undirected graph; of the data only the nodes' labels.
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/xml_events.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

class GraphmlReader final : public XmlEvents {
  public:
    GraphmlReader(TextSource& text, GraphBuilder& into) : XmlEvents(text), into_(into) { into_.expect_declarations(); }

    void read_graph() {
        read();
        if (!graph_seen_) text().refuse("no <graph> in it; want one");
    }

  private:
    enum class Within { document, graphml, graph, node, label, skipped };

    void begin_element(std::string_view name, const XmlAttributes& attributes) override {
        if (skipped_ > 0 || within_ == Within::label) {
            ++skipped_;
            return;
        }
        switch (within_) {
            case Within::document:
                if (name != "graphml") refuse(fmt::format("<{}> is no GraphML; want <graphml>", in_message(name)));
                within_ = Within::graphml;
                return;
            case Within::graphml: begin_in_graphml(name, attributes); return;
            case Within::graph: begin_in_graph(name, attributes); return;
            case Within::node: begin_in_node(name, attributes); return;
            default: ++skipped_;
        }
    }

    void begin_in_graphml(std::string_view name, const XmlAttributes& attributes) {
        if (name == "key" && attributes.value("for") != "edge" && attributes.value("for") != "graph" &&
            attributes.value("attr.name") == "label")
            label_key_ = attributes.value("id");
        if (name != "graph") {
            ++skipped_;
            return;
        }
        if (graph_seen_) refuse("a second <graph>; want one a file");
        if (wanted(attributes, name, "edgedefault") != "undirected")
            refuse("the graph is directed; want edgedefault=\"undirected\"");
        graph_seen_ = true;
        within_ = Within::graph;
    }

    void begin_in_graph(std::string_view name, const XmlAttributes& attributes) {
        if (name == "node") {
            node_ = into_.declare(wanted(attributes, name, "id"), place());
            within_ = Within::node;
            return;
        }
        if (name == "hyperedge") refuse("a hyperedge; want edges of two nodes");
        if (name == "edge") {
            if (attributes.value("directed") == "true") refuse("a directed edge; want undirected ones");
            const TextPlace at = place();
            const std::uint32_t source = into_.node(wanted(attributes, name, "source"), at);
            into_.link(source, into_.node(wanted(attributes, name, "target"), at), at);
        }
        ++skipped_;
    }

    void begin_in_node(std::string_view name, const XmlAttributes& attributes) {
        if (name == "graph") refuse("a graph within a node; want nodes and edges alone");
        if (name == "data" && label_key_ && attributes.value("key") == *label_key_) {
            label_.clear();
            within_ = Within::label;
        } else {
            ++skipped_;
        }
    }

    void add_text(std::string_view piece) override {
        if (within_ != Within::label || skipped_ > 0) return;
        label_ += piece;
        if (label_.size() > word_most) refuse(fmt::format("a label of more than {} bytes", word_most));
    }

    void end_element() override {
        if (skipped_ > 0) {
            --skipped_;
            return;
        }
        switch (within_) {
            case Within::label:
                into_.label(node_, label_, place());
                within_ = Within::node;
                break;
            case Within::node: within_ = Within::graph; break;
            case Within::graph: within_ = Within::graphml; break;
            default: within_ = Within::document;
        }
    }

    static std::string in_message(std::string_view name) { return std::string(name.substr(0, 80)); }

    GraphBuilder& into_;
    Within within_ = Within::document;
    std::uint64_t skipped_ = 0;  ///< open elements that say nothing of the graph
    bool graph_seen_ = false;
    std::optional<std::string> label_key_;
    std::uint32_t node_ = 0;
    std::string label_;
};

std::string in_xml(std::string_view text) {
    std::string escaped;
    for (const char c : text) switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            default: escaped += c;
        }
    return escaped;
}

}  // namespace

void read_graphml(TextSource& text, GraphBuilder& into) { GraphmlReader(text, into).read_graph(); }

void write_graphml(std::ostream& out, const Topology& graph) {
    fmt::print(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
               "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
               "  <graph id=\"{}\" edgedefault=\"undirected\">\n",
               in_xml(graph.spec()));
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        const std::string label = graph.label(v);
        if (label.empty())
            fmt::print(out, "    <node id=\"{}\"/>\n", v);
        else
            fmt::print(out, "    <node id=\"{}\"><data key=\"label\">{}</data></node>\n", v, in_xml(label));
    }
    for_each_link(graph,
                  [&](NodeId v, NodeId w) { fmt::print(out, "    <edge source=\"{}\" target=\"{}\"/>\n", v, w); });
    fmt::print(out, "  </graph>\n</graphml>\n");
}

}  // namespace kport
