/// @file graphml.cpp   GraphML: nodes and edges of one undirected graph; labels, names and kinds of nodes, numbers of edges.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/text_source.hpp"
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
    enum class Within { document, graphml, key, default_value, graph, node, edge, data, skipped };
    /// What a <key> says of the <data> of nodes or edges that name it.
    struct Key {
        std::string name;
        bool of_nodes;
        bool of_edges;
        bool numeric;
        std::optional<std::string> otherwise;
    };

    void begin_element(std::string_view name, const XmlAttributes& attributes) override {
        if (skipped_ > 0 || within_ == Within::data || within_ == Within::default_value) {
            ++skipped_;
            return;
        }
        switch (within_) {
            case Within::document:
                if (name != "graphml") refuse(fmt::format("<{}> is no GraphML; want <graphml>", in_message(name)));
                within_ = Within::graphml;
                return;
            case Within::graphml: begin_in_graphml(name, attributes); return;
            case Within::key: begin_text(name == "default", Within::default_value); return;
            case Within::graph: begin_in_graph(name, attributes); return;
            case Within::node:
                if (name == "graph") refuse("a graph within a node; want nodes and edges alone");
                [[fallthrough]];
            case Within::edge: begin_data(name, attributes); return;
            default: ++skipped_;
        }
    }

    void begin_in_graphml(std::string_view name, const XmlAttributes& attributes) {
        if (name == "key") {
            const std::string_view of = attributes.value("for").value_or("all");
            const std::string_view type = attributes.value("attr.type").value_or("string");
            key_ = &keys_[std::string(attributes.value("id").value_or(""))];
            *key_ = {std::string(attributes.value("attr.name").value_or("")),
                     of == "node" || of == "all",
                     of == "edge" || of == "all",
                     has_word("int long float double", type),
                     {}};
            within_ = Within::key;
            return;
        }
        if (name != "graph") {
            ++skipped_;
            return;
        }
        if (graph_seen_) refuse("a second <graph>; want one a file");
        directed_ = wanted(attributes, name, "edgedefault") != "undirected";
        graph_seen_ = true;
        within_ = Within::graph;
    }

    void begin_in_graph(std::string_view name, const XmlAttributes& attributes) {
        if (name == "node") {
            node_ = into_.declare(wanted(attributes, name, "id"), place());
            given_.clear();
            within_ = Within::node;
            return;
        }
        if (name == "hyperedge") refuse("a hyperedge; want edges of two nodes");
        if (name != "edge") {
            ++skipped_;
            return;
        }
        const TextPlace at = place();
        const std::optional<std::string_view> directed = attributes.value("directed");
        if (directed ? *directed == "true" : directed_)
            into_.require_undirected(directed ? "an edge" : "the graph (edgedefault)", at);
        const std::uint32_t source = into_.node(wanted(attributes, name, "source"), at);
        into_.link(source, into_.node(wanted(attributes, name, "target"), at), at);
        given_.clear();
        within_ = Within::edge;
    }

    void begin_data(std::string_view name, const XmlAttributes& attributes) {
        const auto key = name == "data" ? keys_.find(attributes.value("key").value_or("")) : keys_.end();
        const bool known =
            key != keys_.end() && (within_ == Within::node ? key->second.of_nodes : key->second.of_edges);
        if (known) {
            key_ = &key->second;
            given_.push_back(key_);
        }
        outside_ = within_;
        begin_text(known, Within::data);
    }

    void begin_text(bool known, Within within) {
        if (!known) {
            ++skipped_;
            return;
        }
        value_.clear();
        within_ = within;
    }

    void add_text(std::string_view piece) override {
        if ((within_ != Within::data && within_ != Within::default_value) || skipped_ > 0) return;
        value_ += piece;
        if (value_.size() > word_most) refuse(fmt::format("a value of more than {} bytes", word_most));
    }

    void end_element() override {
        if (skipped_ > 0) {
            --skipped_;
            return;
        }
        switch (within_) {
            case Within::default_value:
                key_->otherwise = value_;
                within_ = Within::key;
                break;
            case Within::data:
                put(*key_, value_, outside_);
                within_ = outside_;
                break;
            case Within::node:
            case Within::edge:
                put_defaults();
                within_ = Within::graph;
                break;
            case Within::key:
            case Within::graph: within_ = Within::graphml; break;
            default: within_ = Within::document;
        }
    }

    void put_defaults() {
        for (const auto& [id, key] : keys_)
            if (key.otherwise && (within_ == Within::node ? key.of_nodes : key.of_edges) &&
                std::ranges::find(given_, &key) == given_.end())
                put(key, *key.otherwise, within_);
    }

    void put(const Key& key, std::string_view value, Within of) {
        const std::string plain = in_one_line(value);
        if (of == Within::edge) {
            if (key.numeric && !plain.empty()) into_.set(key.name, plain);
            return;
        }
        if (key.name == "label") into_.call(GraphBuilder::Called::label, node_, plain, place());
        if (key.name == "name") into_.call(GraphBuilder::Called::name, node_, plain, place());
        into_.node_attribute(node_, key.name, plain);
    }

    static std::string in_message(std::string_view name) { return std::string(name.substr(0, 80)); }

    GraphBuilder& into_;
    Within within_ = Within::document;
    Within outside_ = Within::node;  ///< a <data>: the node or edge that has it
    std::uint64_t skipped_ = 0;      ///< open elements that say nothing of the graph
    bool graph_seen_ = false;
    bool directed_ = false;
    std::map<std::string, Key, std::less<>> keys_;  ///< by id
    Key* key_ = nullptr;
    std::vector<const Key*> given_;  ///< that the node or edge has
    std::uint32_t node_ = 0;
    std::string value_;
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

void end_element(std::ostream& out, std::string_view name, std::string_view data) {
    if (data.empty())
        out << "/>\n";
    else
        fmt::print(out, ">{}</{}>\n", data, name);
}

}  // namespace

void read_graphml(TextSource& text, GraphBuilder& into) { GraphmlReader(text, into).read_graph(); }

void write_graphml(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    fmt::print(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
               "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n");
    if (file.hosts() < graph.nodes())
        fmt::print(out, "  <key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n");
    if (file.file != nullptr)
        for (const LinkAttribute& attribute : file.file->attributes)
            fmt::print(out, "  <key id=\"link {0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"double\"/>\n",
                       in_xml(attribute.name));
    fmt::print(out, "  <graph id=\"{}\" edgedefault=\"undirected\">\n", in_xml(graph.spec()));
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        const std::string label = graph.label(v);
        std::string data = label.empty() ? "" : fmt::format("<data key=\"label\">{}</data>", in_xml(label));
        if (v >= file.hosts()) data += "<data key=\"kind\">switch</data>";
        fmt::print(out, "    <node id=\"{}\"", v);
        end_element(out, "node", data);
    }
    for_each_written_link(file, [&](NodeId v, NodeId w, std::size_t link) {
        std::string data;
        file.for_each_attribute(link, [&](const std::string& name, double value) {
            data += fmt::format("<data key=\"link {}\">{}</data>", in_xml(name), value);
        });
        fmt::print(out, "    <edge source=\"{}\" target=\"{}\"", v, w);
        end_element(out, "edge", data);
    });
    fmt::print(out, "  </graph>\n</graphml>\n");
}

}  // namespace kport
