/// @file graphml.cpp   GraphML: nodes and edges of one undirected graph; of the data only the nodes' labels.
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <expat.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/algorithm/string/predicate.hpp>

#include "emulator/base/nearest.hpp"
#include "files/graphs/graph_forms.hpp"

namespace kport {
namespace {

/// Takes the events of expat. What it throws waits until expat, which is C, has returned.
class GraphmlReader {
  public:
    GraphmlReader(TextSource& text, GraphBuilder& into)
        : text_(text), into_(into), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
        if (parser_ == nullptr) throw std::bad_alloc();
        XML_SetUserData(parser_.get(), this);
        XML_SetElementHandler(
            parser_.get(),
            [](void* self, const char* name, const char** attributes) {
                as_reader(self).guarded([&](GraphmlReader& r) { r.begin_element(name, attributes); });
            },
            [](void* self, const char*) { as_reader(self).guarded([](GraphmlReader& r) { r.end_element(); }); });
        XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* data, int bytes) {
            as_reader(self).guarded([&](GraphmlReader& r) { r.add_text({data, static_cast<std::size_t>(bytes)}); });
        });
        XML_SetEntityDeclHandler(parser_.get(), [](void* self, const char*, int, const char*, int, const char*,
                                                   const char*, const char*, const char*) {
            as_reader(self).guarded([](GraphmlReader& r) { r.refuse("entities are not read; want a file without"); });
        });
        into_.expect_declarations();
    }

    void read() {
        std::uint64_t fed = 0;
        for (std::string_view piece = text_.piece(); !piece.empty(); piece = text_.piece()) {
            fed += piece.size();
            parse(piece, false);
            const auto done =
                static_cast<std::uint64_t>(std::max<XML_Index>(XML_GetCurrentByteIndex(parser_.get()), 0));
            if (fed - done > word_most) refuse(fmt::format("a tag of more than {} bytes", word_most));
        }
        parse({}, true);
        if (!graph_seen_) text_.refuse("no <graph> in it; want one");
    }

  private:
    /// Expat keeps a tag or a comment until its end.
    static constexpr std::uint64_t word_most = std::uint64_t{1} << 20;

    enum class Within { document, graphml, graph, node, label, skipped };

    static GraphmlReader& as_reader(void* self) { return *static_cast<GraphmlReader*>(self); }

    template <class Act>
    void guarded(const Act& act) noexcept {
        if (failure_) return;
        try {
            act(*this);
        } catch (...) {
            failure_ = std::current_exception();
            XML_StopParser(parser_.get(), XML_FALSE);
        }
    }

    void parse(std::string_view piece, bool last) {
        const auto status = XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), last ? 1 : 0);
        if (failure_) std::rethrow_exception(failure_);
        if (status == XML_STATUS_ERROR) {
            const XML_Error error = XML_GetErrorCode(parser_.get());
            if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
            refuse(fmt::format("XML: {}; want well-formed XML, down to </graphml>", XML_ErrorString(error)));
        }
    }

    [[nodiscard]] TextPlace place() const {
        return {static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_.get())),
                static_cast<std::uint32_t>(XML_GetCurrentColumnNumber(parser_.get()) + 1)};
    }
    [[noreturn]] void refuse(std::string_view why) const { text_.refuse(place(), why); }

    /// The name without its namespace.
    static std::string_view local(std::string_view name) { return name.substr(name.find(':') + 1); }

    /// The value of an attribute; nothing where it is not there.
    static std::optional<std::string_view> value_of(const char** attributes, std::string_view name) {
        for (; *attributes != nullptr; attributes += 2)
            if (attributes[0] == name) return attributes[1];
        return std::nullopt;
    }
    [[nodiscard]] std::string_view wanted(const char** attributes, std::string_view element,
                                          std::string_view name) const {
        const auto value = value_of(attributes, name);
        if (!value) refuse(fmt::format("<{0}> without {1}; want <{0} {1}=\"...\">", element, name));
        return *value;
    }

    void begin_element(std::string_view full_name, const char** attributes) {
        if (skipped_ > 0 || within_ == Within::label) {
            ++skipped_;
            return;
        }
        const std::string_view name = local(full_name);
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

    void begin_in_graphml(std::string_view name, const char** attributes) {
        if (name == "key" && value_of(attributes, "for") != "edge" && value_of(attributes, "for") != "graph" &&
            value_of(attributes, "attr.name") == "label")
            label_key_ = value_of(attributes, "id");
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

    void begin_in_graph(std::string_view name, const char** attributes) {
        if (name == "node") {
            node_ = into_.declare(wanted(attributes, name, "id"), place());
            within_ = Within::node;
            return;
        }
        if (name == "hyperedge") refuse("a hyperedge; want edges of two nodes");
        if (name == "edge") {
            if (value_of(attributes, "directed") == "true") refuse("a directed edge; want undirected ones");
            const TextPlace at = place();
            const std::uint32_t source = into_.node(wanted(attributes, name, "source"), at);
            into_.link(source, into_.node(wanted(attributes, name, "target"), at), at);
        }
        ++skipped_;
    }

    void begin_in_node(std::string_view name, const char** attributes) {
        if (name == "graph") refuse("a graph within a node; want nodes and edges alone");
        if (name == "data" && label_key_ && value_of(attributes, "key") == *label_key_) {
            label_.clear();
            within_ = Within::label;
        } else {
            ++skipped_;
        }
    }

    void add_text(std::string_view text) {
        if (within_ != Within::label || skipped_ > 0) return;
        label_ += text;
        if (label_.size() > word_most) refuse(fmt::format("a label of more than {} bytes", word_most));
    }

    void end_element() {
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

    TextSource& text_;
    GraphBuilder& into_;
    std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
    std::exception_ptr failure_;
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

void read_graphml(TextSource& text, GraphBuilder& into) { GraphmlReader(text, into).read(); }

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
