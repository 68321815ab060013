/// @file node_link.cpp   JSON of nodes and links, as NetworkX (node_link_data), D3 and vis.js have it.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

using Tree = nlohmann::json;

/// The bytes of a text, for nlohmann's parser.
class Bytes {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Bytes() = default;
    explicit Bytes(TextSource& text) : text_(&text) {}

    char operator*() const { return static_cast<char>(text_->peek()); }
    Bytes& operator++() {
        (void)text_->get();
        return *this;
    }
    Bytes operator++(int) {
        Bytes before = *this;
        ++*this;
        return before;
    }
    /// Only with the end.
    bool operator==(const Bytes&) const { return text_ == nullptr || text_->peek() == TextSource::end_of_text; }
    bool operator!=(const Bytes& other) const { return !(*this == other); }

  private:
    TextSource* text_ = nullptr;
};

/// Takes the events of the parser. Depth 1 is the document, 2 a list of nodes or links, 3 a node or link; deeper values matter
/// only where they are a tuple that names a node.
class NodeLinkReader final : public nlohmann::json_sax<Tree> {
  public:
    NodeLinkReader(TextSource& text, GraphBuilder& into) : text_(text), into_(into) { into_.expect_declarations(); }

    void read() {
        (void)Tree::sax_parse(Bytes(text_), Bytes(), this);
        if (!nodes_seen_ || !links_seen_)
            text_.refuse(fmt::format("JSON without \"{}\"; want an object with \"nodes\" and \"links\" or \"edges\"",
                                     nodes_seen_ ? "links" : "nodes"));
        if (directed_) into_.require_undirected("the graph", *directed_);
    }

    bool null() override { return value({}, false); }
    bool boolean(bool is) override {
        if (depth_ == 1 && key_ == "directed" && is) directed_ = text_.place();
        return value(is ? "true" : "false", false);
    }
    bool number_integer(number_integer_t number) override { return value(fmt::to_string(number), true); }
    bool number_unsigned(number_unsigned_t number) override { return value(fmt::to_string(number), true); }
    bool number_float(number_float_t, const string_t& digits) override { return value(digits, true); }
    bool string(string_t& text) override { return value(text, false); }
    bool binary(binary_t&) override { return true; }
    bool key(string_t& key) override {
        if (depth_ == 1 || depth_ == 3) key_ = key;
        return true;
    }

    bool start_object(std::size_t) override {
        require_known_begin(true);
        ++depth_;
        if (depth_ == 3 && within_ != Within::nothing) begin_element();
        return true;
    }
    bool start_array(std::size_t) override {
        require_known_begin(false);
        ++depth_;
        if (depth_ == 2) begin_list();
        if (depth_ == 4) tuple_.clear();
        return true;
    }
    bool end_object() override {
        if (depth_ == 3 && within_ == Within::nodes) end_node();
        if (depth_ == 3 && within_ == Within::links) end_link();
        --depth_;
        return true;
    }
    bool end_array() override {
        --depth_;
        if (depth_ == 3) put(fmt::format("({})", tuple_), false);
        if (depth_ == 1) within_ = Within::nothing;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        const std::string_view what = error.what();
        const std::size_t reason = what.find("syntax error");
        text_.refuse(
            text_.place(),
            fmt::format("JSON: {}", one_line(reason == std::string_view::npos ? what : what.substr(reason), 200)));
    }

  private:
    enum class Within : std::uint8_t { nothing, nodes, links };

    void require_known_begin(bool object) const {
        if (depth_ == 0 && !object) text_.refuse("JSON that is a list; want an object with \"nodes\" and \"links\"");
        if (depth_ == 2 && within_ != Within::nothing && !object)
            text_.refuse(text_.place(), "a list where a node or a link is wanted; want an object, such as {\"id\": 0}");
    }

    void begin_list() {
        const bool links = key_ == "links" || key_ == "edges";
        bool& seen = links ? links_seen_ : nodes_seen_;
        if (!links && key_ != "nodes") return;
        if (std::exchange(seen, true))
            text_.refuse(text_.place(), fmt::format("a second list of {}; want one", quoted(key_)));
        within_ = links ? Within::links : Within::nodes;
    }

    void begin_element() {
        at_ = text_.place();
        id_.reset();
        name_.reset();
        source_.reset();
        target_.reset();
        attributes_.clear();
    }

    bool value(const std::string& text, bool number) {
        if (depth_ == 4) tuple_ += (tuple_.empty() ? "" : ", ") + text;
        if (depth_ == 3) put(text, number);
        if (depth_ == 2 && within_ != Within::nothing)
            text_.refuse(text_.place(),
                         "a value where a node or a link is wanted; want an object, such as {\"id\": 0}");
        return true;
    }

    void put(const std::string& text, bool number) {
        if (within_ == Within::nodes) {
            if (key_ == "id")
                id_ = text;
            else if (key_ == "name" || (key_ == "label" && !name_))
                name_ = text;
            if (key_ != "id") attributes_.emplace_back(key_, text);
        } else if (within_ == Within::links) {
            if (key_ == "source" || key_ == "from")
                source_ = text;
            else if (key_ == "target" || key_ == "to")
                target_ = text;
            else if (number && key_ != "key" && key_ != "id")
                attributes_.emplace_back(key_, text);
        }
    }

    void end_node() {
        const std::uint32_t index = into_.declared();
        if (index > 0 && id_.has_value() != has_ids_)
            text_.refuse(at_, "some nodes have an \"id\" and others none; want it in all, or in none");
        has_ids_ = id_.has_value();
        const std::uint32_t node = into_.declare(id_ ? *id_ : fmt::to_string(index), at_);
        if (!id_ && name_) into_.call(GraphBuilder::Called::name, node, *name_, at_);
        for (const auto& [name, text] : attributes_) into_.node_attribute(node, name, text);
    }

    void end_link() {
        if (!source_ || !target_)
            text_.refuse(at_, "a link without source or target; want {\"source\": 0, \"target\": 1}");
        const std::uint32_t node = into_.node(*source_, at_);
        into_.link(node, into_.node(*target_, at_), at_);
        for (const auto& [name, text] : attributes_) into_.set(name, text);
    }

    TextSource& text_;
    GraphBuilder& into_;
    int depth_ = 0;
    Within within_ = Within::nothing;
    std::string key_;
    bool nodes_seen_ = false;
    bool links_seen_ = false;
    std::optional<TextPlace> directed_;  ///< where the file says so
    bool has_ids_ = false;
    TextPlace at_;  ///< of the node or link
    std::optional<std::string> id_;
    std::optional<std::string> name_;
    std::optional<std::string> source_;
    std::optional<std::string> target_;
    std::vector<std::pair<std::string, std::string>> attributes_;
    std::string tuple_;
};

std::string in_json(std::string_view text) { return Tree(text).dump(); }

}  // namespace

void read_node_link(TextSource& text, GraphBuilder& into) { NodeLinkReader(text, into).read(); }

void write_node_link(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    const auto id = [&](NodeId v) {
        const std::string label = graph.label(v);
        return label.empty() ? fmt::to_string(v) : in_json(label);
    };
    out << "{\"directed\": false, \"multigraph\": " << (file.has_trunks() ? "true" : "false") << ",\n\"nodes\": [";
    for (NodeId v = 0; v < graph.nodes(); ++v)
        fmt::print(out, "{}\n{{\"id\": {}{}}}", v == 0 ? "" : ",", id(v),
                   v < file.hosts() ? "" : ", \"kind\": \"switch\"");
    out << "],\n\"links\": [";
    bool first = true;
    for_each_written_link(file, [&](NodeId v, NodeId w, std::size_t link) {
        fmt::print(out, "{}\n{{\"source\": {}, \"target\": {}", std::exchange(first, false) ? "" : ",", id(v), id(w));
        file.for_each_attribute(
            link, [&](const std::string& name, double value) { fmt::print(out, ", {}: {}", in_json(name), value); });
        out << '}';
    });
    out << "]}\n";
}

}  // namespace kport
