#include "app/files/formats.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/line_fields.hpp"
#include "app/files/schedule_forms.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

constexpr std::string_view white_space = " \t\r\n";

std::string_view without_space(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(white_space), text.size()));
}

/// Behind comments that begin with one of these, and white space.
std::string_view behind_comments(std::string_view text, std::string_view begins) {
    text = without_space(text);
    for (bool found = true; found;) {
        found = false;
        for (const std::string_view begin : split(begins, ' ')) {
            if (!text.starts_with(begin)) continue;
            const std::string_view end = begin == "/*"     ? "*/"
                                         : begin == "<?"   ? "?>"
                                         : begin == "<!--" ? "-->"
                                         : begin == "<!"   ? ">"
                                                           : "\n";
            std::size_t at = text.find(end);
            if (begin == "<!" && text.find('[') < at) at = text.find("]>") + 1;  // declarations within a declaration
            if (at == std::string_view::npos || at >= text.size()) return {};
            text = without_space(text.substr(at + end.size()));
            found = true;
            break;
        }
    }
    return text;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(white_space)); }

/// "strict", "graph" or "digraph", and a bracket somewhere after it: comments may stand before.
bool begins_dot(std::string_view head) {
    const std::string_view text = behind_comments(head, "// /* #");
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n{\""));
    const auto is = [&](std::string_view keyword) { return boost::iequals(word, keyword); };
    return (is("strict") || is("graph") || is("digraph")) && text.find('{') != std::string_view::npos;
}

/// "graph [" behind comments and lines of a key and a value.
bool begins_gml(std::string_view head) {
    for (std::string_view text = behind_comments(head, "#"); !text.empty(); text = behind_comments(text, "#")) {
        const std::string_view key = text.substr(0, text.find_first_of(" \t\r\n["));
        const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
        if (key.empty() || !is_letter(key.front())) return false;
        const std::string_view value = without_space(text.substr(key.size()));
        if (key == "graph") return value.starts_with('[');
        const std::size_t end = value.starts_with('"') ? value.find('"', 1) : value.find_first_of("\r\n");
        if (end == std::string_view::npos || value.starts_with('[')) return false;
        text = value.substr(end + 1);
    }
    return false;
}

/// The name of the first element of XML, without its namespace; empty for what is no XML.
std::string_view root_of_xml(std::string_view head) {
    const std::string_view text = behind_comments(head, "<? <!-- <!");
    if (!text.starts_with('<')) return {};
    const std::string_view name = text.substr(1, text.find_first_of(" \t\r\n/>", 1) - 1);
    return name.substr(name.find(':') + 1);
}

bool begins_graphml(std::string_view head) {
    return root_of_xml(head) == "graphml" || head.starts_with("\xFE\xFF") || head.starts_with("\xFF\xFE");  // UTF-16
}
bool begins_gexf(std::string_view head) { return root_of_xml(head) == "gexf"; }
bool begins_node_link(std::string_view head) { return without_space(head).starts_with('{'); }
bool begins_matrix_market(std::string_view head) { return boost::istarts_with(head, "%%MatrixMarket"); }
bool begins_graph6(std::string_view head) {
    return head.starts_with(">>graph6<<") || head.starts_with(">>digraph6<<") || head.starts_with("&");
}

/// Only bytes that hold six bits each.
bool is_sextets(std::string_view word) {
    return std::ranges::all_of(word, [](char c) { return c >= '?' && c <= '~'; });
}

bool begins_sparse6(std::string_view head) {
    const std::string_view word = first_word(head);
    return head.starts_with(">>sparse6<<") || (word.size() > 1 && word.front() == ':' && is_sextets(word.substr(1)));
}

bool begins_pajek(std::string_view head) {
    const std::string_view word = first_word(behind_comments(head, "%"));
    return boost::iequals(word, "*vertices") || boost::iequals(word, "*network");
}

/// "% sym unweighted"
bool begins_konect(std::string_view head) {
    if (!head.starts_with('%')) return false;
    const std::string_view line = head.substr(1, head.find('\n') - 1);
    return has_word("sym asym bip", first_word(without_space(line)));
}

/// "p edge 4 3" behind lines of comments.
bool begins_dimacs(std::string_view head) {
    std::string_view text = without_space(head);
    while (text.starts_with("c ") || text.starts_with("c\n") || text.starts_with("c\r") || text.starts_with("c\t"))
        text = without_space(text.substr(std::min(text.find('\n'), text.size())));
    if (!text.starts_with("p ") && !text.starts_with("p\t")) return false;
    return has_word("edge edges col sp max min aux", first_word(without_space(text.substr(1))));
}

/// Whether lines are as many as the numbers in each: the number, else 0. Of a part of a file the lines are enough for which there is
/// room.
std::size_t size_of_matrix(std::string_view head, bool is_whole, bool symmetric) {
    const std::string_view lines = is_whole ? head : head.substr(0, head.rfind('\n') + 1);
    LineFields fields(lines, std::nullopt);
    std::vector<std::vector<double>> rows;
    for (const std::string_view raw : split(lines, '\n')) {
        const auto line = line_of_table(raw);
        if (!line) continue;
        const auto row = fields.apart(*line);
        if (!row || (!rows.empty() && row->size() != rows.front().size())) return 0;
        rows.emplace_back();
        for (const LineFields::Field& field : *row) {
            const auto number = number_in(field.text);
            if (!number) return 0;
            rows.back().push_back(*number);
        }
        if (rows.size() > row->size()) return 0;
    }
    const std::size_t size = rows.empty() ? 0 : rows.front().size();
    if (is_whole ? rows.size() != size : rows.empty()) return 0;
    for (std::size_t i = 0; symmetric && i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows.size(); ++j)
            if (rows[i][j] != rows[j][i]) return 0;
    return size;
}

/// What is no graph file that is read here, and is known all the same.
struct ForeignForm {
    std::string_view name;
    bool (*begins)(std::string_view head);
};

template <std::size_t size>
bool begins_with_any(std::string_view head, const std::array<std::string_view, size>& begins) {
    return std::ranges::any_of(begins, [&](std::string_view begin) { return boost::istarts_with(head, begin); });
}

constexpr std::array foreign_forms = {
    ForeignForm{"a LEDA graph", [](std::string_view head) { return head.starts_with("LEDA.GRAPH"); }},
    ForeignForm{"a UCINET DL file",
                [](std::string_view head) {
                    const std::string_view text = without_space(head);
                    return begins_with_any(text, std::array<std::string_view, 3>{"dl n", "dl\n", "dl\r"}) ||
                           (boost::istarts_with(text, "dl ") && boost::icontains(text.substr(0, 256), "format"));
                }},
    ForeignForm{"a GDF file", [](std::string_view head) { return boost::istarts_with(head, "nodedef>"); }},
    ForeignForm{"a file of SNDlib's own format", [](std::string_view head) { return head.starts_with("?SNDlib"); }},
    ForeignForm{
        "a BookSim anynet file",
        [](std::string_view head) { return head.starts_with("router ") || head.starts_with("node 0 router "); }},
    ForeignForm{"a list in JSON",
                [](std::string_view head) {
                    const std::string_view text = without_space(head);
                    return text.starts_with('[') && begins_with_any(without_space(text.substr(1)),
                                                                    std::array<std::string_view, 3>{"[", "{", "\""});
                }},
    ForeignForm{"compressed by bzip2, xz, zstd or zip",
                [](std::string_view head) {
                    return begins_with_any(head, std::array<std::string_view, 4>{"BZh",
                                                                                 "\xFD"
                                                                                 "7zXZ",
                                                                                 "\x28\xB5\x2F\xFD", "PK\x03\x04"});
                }},
    ForeignForm{"a picture, a document or another binary file",
                [](std::string_view head) {
                    const bool wide = head.starts_with("\xFE\xFF") || head.starts_with("\xFF\xFE");
                    return begins_with_any(head,
                                           std::array<std::string_view, 4>{"%PDF", "\x89PNG", "\x89HDF", "GIF8"}) ||
                           (!wide && head.find('\0') != std::string_view::npos);
                }},
};

/// Other documents in XML.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> roots_of_xml = {
    {{"algo", "an MSCCL schedule"},
     {"platform", "a SimGrid platform"},
     {"network", "a SNDlib network"},
     {"svg", "a picture in SVG"},
     {"html", "a page in HTML"},
     {"gxl", "a GXL graph"}}};

/// Whether it begins as a schedule; a list of links may begin with words that begin schedules as text or tables, too.
bool holds_schedule(std::string_view head) {
    const ScheduleForm* form = schedule_form_of(head);
    if (form == nullptr) return false;
    return (form->name != "text" && form->name != "csv") || head.find("round") != std::string_view::npos;
}

void refuse_foreign(std::string_view head, std::string_view path) {
    const auto refuse = [&](std::string_view what) {
        throw RequestError(
            fmt::format("graph {}: {}, which is not read; want one of 'kport list formats'", quoted(path), what));
    };
    for (const ForeignForm& form : foreign_forms)
        if (form.begins(head)) refuse(fmt::format("it is {}", form.name));
    if (const std::string_view root = root_of_xml(head); !root.empty()) {
        const auto known = std::ranges::find(roots_of_xml, root, &std::pair<std::string_view, std::string_view>::first);
        refuse(known == roots_of_xml.end() ? fmt::format("it is XML with the root <{}>", one_line(root, 80))
                                           : fmt::format("it is {}", known->second));
    }
    if (holds_schedule(head))
        throw RequestError(fmt::format("graph {}: it is a schedule ({}), and no graph; want a graph, or kport check",
                                       quoted(path), schedule_form_of(head)->name));
}

constexpr std::string_view keeps_all = "names switches trunks weights";

}  // namespace

std::span<const FileFormat> file_formats() {
    static constexpr std::array all = {
        FileFormat{"edges", "graph", ".edges .el .txt .edgelist .ncol",
                   "two names a line, and a weight; CSV; comments with # % //", "switches trunks",
                   "--header --separator", nullptr, read_edge_list, write_edge_list},
        FileFormat{"adjlist", "graph", ".adjlist", "a node and its neighbours a line", "", "", nullptr,
                   read_adjacency_list, nullptr},
        FileFormat{"matrix", "graph", ".adj", "the adjacency matrix, a line of numbers a node", "", "--separator",
                   nullptr, read_matrix, nullptr},
        FileFormat{"graphml", "graph", ".graphml .xml", "GraphML: nodes with label or name, and kind; numbers of edges",
                   keeps_all, "", begins_graphml, read_graphml, write_graphml},
        FileFormat{"gexf", "graph", ".gexf", "GEXF: nodes with label, and kind; weights and numbers of edges", "", "",
                   begins_gexf, read_gexf, nullptr},
        FileFormat{"gml", "graph", ".gml", "GML: graph [ node [ id 0 label \"a\" ] edge [ source 0 target 1 ] ]",
                   keeps_all, "", begins_gml, read_gml, write_gml},
        FileFormat{"dot", "graph", ".dot .gv", "DOT: graph { a -- {b c}; d [label=x]; }", keeps_all, "", begins_dot,
                   read_dot, write_dot},
        FileFormat{"node-link", "graph", ".json", "JSON with nodes and links, of NetworkX and D3", keeps_all, "",
                   begins_node_link, read_node_link, write_node_link},
        FileFormat{"pajek", "graph", ".net", "Pajek: *Vertices, and *Edges or *Matrix", "", "", begins_pajek,
                   read_pajek, nullptr},
        FileFormat{"dimacs", "graph", ".dimacs .col .gr .max",
                   "DIMACS: p edge N M, then e U V; or p sp N M, then a U V W", "", "", begins_dimacs, read_dimacs,
                   nullptr},
        FileFormat{"konect", "graph", ".konect", "KONECT: % sym, asym or bip, then two numbers a line", "", "",
                   begins_konect, read_konect, nullptr},
        FileFormat{"metis", "graph", ".metis .graph .chaco",
                   "METIS: N M, then a line of neighbours for each node, from 1", "", "", nullptr, read_metis,
                   write_metis},
        FileFormat{"mm", "graph", ".mm .mtx", "Matrix Market: coordinate or array; symmetric or general", "", "",
                   begins_matrix_market, read_matrix_market, write_matrix_market},
        FileFormat{"graph6", "graph", ".g6 .graph6", "graph6: a bit for each pair of nodes", "", "", begins_graph6,
                   read_graph6, write_graph6},
        FileFormat{"sparse6", "graph", ".s6 .sparse6", "sparse6: some bits a link", "", "", begins_sparse6,
                   read_sparse6, nullptr},
        FileFormat{"lgl", "graph", ".lgl", "LGL: # NODE, then a neighbour and a weight a line", "", "", nullptr,
                   read_lgl, nullptr}};
    return all;
}

const FileFormat& format_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (const FileFormat& format : file_formats()) {
        if (format.name == name) return format;
        names.push_back(format.name);
    }
    throw RequestError(
        fmt::format("unknown format {}{} ({})", quoted(name), did_you_mean(name, names), fmt::join(names, ", ")));
}

bool has_ending(std::string_view path, std::string_view endings) {
    return std::ranges::any_of(split(endings, ' '),
                               [&](std::string_view e) { return !e.empty() && boost::iends_with(path, e); });
}

const FileFormat* format_of_path(std::string_view path) {
    if (constexpr std::string_view compressed = ".gz"; boost::iends_with(path, compressed))
        path.remove_suffix(compressed.size());
    const auto found = std::ranges::find_if(file_formats(),
                                            [&](const FileFormat& format) { return has_ending(path, format.endings); });
    return found == file_formats().end() ? nullptr : &*found;
}

const FileFormat& format_of_graph(std::string_view head, bool is_whole, std::string_view path) {
    const FileFormat* by_ending = format_of_path(path);
    // Graphs of these formats may begin as others do: '# a' and, in graph6 of 60 nodes, '{'.
    if (by_ending != nullptr &&
        (by_ending->name == "lgl" || (by_ending->name == "graph6" && is_sextets(first_word(head)))))
        return *by_ending;
    for (const FileFormat& format : file_formats())
        if (format.begins != nullptr && format.begins(head)) {
            if (format.name == "node-link" && holds_schedule(head)) break;
            return format;
        }
    refuse_foreign(head, path);
    if (without_space(head).starts_with('<')) return format_named("graphml");  // which says what is wrong with the XML
    if (by_ending != nullptr && by_ending->name != "edges") return *by_ending;
    constexpr std::size_t certain = 4;
    const std::size_t size = size_of_matrix(head, is_whole, false);
    if (size >= certain) return format_named("matrix");
    if (size == certain - 1 && is_whole && size_of_matrix(head, is_whole, true) == size)
        throw RequestError(
            fmt::format("graph {}: three lines of three numbers, a matrix or links with weights; want --format matrix "
                        "or --format edges",
                        quoted(path)));
    return format_named("edges");
}

}  // namespace kport
