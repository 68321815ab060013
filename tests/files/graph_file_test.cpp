/// @file graph_file_test.cpp   Graphs from files: published networks in four formats, and files that must be refused.
#include "app/files/graph_file.hpp"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/wiring_hash.hpp"

namespace kport {
namespace {

using oracle::Row;
using testing::HasSubstr;
using testing::StartsWith;

std::shared_ptr<const Topology> graph_of(const std::string& text, const std::string& name) {
    std::istringstream in(text);
    return read_graph(in, name);
}

/// Why a text is refused, without the name of the file.
std::string refusal(const std::string& text, const std::string& name) {
    try {
        (void)graph_of(text, name);
    } catch (const RequestError& error) {
        const std::string begin = "graph '" + name + "': ";
        EXPECT_THAT(error.what(), StartsWith(begin));
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return std::string(error.what()).substr(begin.size());
    }
    return "accepted";
}

// ---- the published networks --------------------------------------------------------------------------------------------

class PublishedNetwork : public testing::TestWithParam<Row> {};

TEST_P(PublishedNetwork, IsTheSameMachineFromEachOfItsFourFiles) {
    const Row& row = GetParam();
    for (const char* ending : {"edges", "graphml", "dot", "metis"}) {
        const std::string path = fmt::format("tests/files/graphs/{}.{}", row["name"], ending);
        const auto graph = read_graph(path);
        EXPECT_EQ(graph->spec(), "file:" + path);
        EXPECT_EQ(graph->family(), "file");
        EXPECT_EQ(graph->nodes(), row.number("nodes")) << path;
        EXPECT_EQ(graph->channels(), 2 * row.number("links")) << path;
        EXPECT_EQ(graph->max_degree(), row.number("degree_max")) << path;
        Port least = graph->ports();
        for (NodeId v = 0; v < graph->nodes(); ++v) least = std::min(least, graph->degree(v));
        EXPECT_EQ(least, row.number("degree_min")) << path;
        EXPECT_EQ(graph->diameter(), row.number("diameter")) << path;
        EXPECT_EQ(graph->radius(), row.number("radius")) << path;
        EXPECT_EQ(test::wiring_hash(*graph), row.number("wiring_hash")) << path;
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, PublishedNetwork, testing::ValuesIn(oracle::table("graphs")), [](const auto& instance) {
    std::string name = instance.param["name"];
    std::ranges::replace(name, '-', '_');
    return name;
});

// ---- names -------------------------------------------------------------------------------------------------------------

TEST(NamesOfNodes, AreTheLabelsOfTheFileAndTakenWhereverANodeIsAskedFor) {
    for (const char* path : {"tests/files/graphs/florentine.graphml", "tests/files/graphs/florentine.dot"}) {
        const auto graph = read_graph(path);
        EXPECT_EQ(graph->name(8), "8 (Medici)") << path;
        EXPECT_EQ(graph->node("Medici"), 8U) << path;
        EXPECT_EQ(graph->node("8"), 8U) << path;
        EXPECT_THROW((void)graph->node("15"), RequestError) << path;
        try {
            (void)graph->node("Medicci");
            FAIL() << path;
        } catch (const RequestError& error) {
            EXPECT_THAT(error.what(),
                        HasSubstr("nodes 0 to 14, with names such as 'Acciaiuoli'; did you mean 'Medici'?"));
        }
    }
}

TEST(NamesOfNodes, ComeBeforeNumbers) {
    const auto graph = graph_of("1 2\n2 3\n", "x.edges");
    EXPECT_EQ(graph->name(0), "0 (1)");
    EXPECT_EQ(graph->node("1"), 0U);
    EXPECT_EQ(graph->node("3"), 2U);
    EXPECT_EQ(graph->node("0"), 0U);  // no node has this name
}

TEST(NamesOfNodes, AreTheIdsWhereLabelsDoNotDiffer) {
    const auto graph = graph_of(R"(graph { a [label=x]; b [label=x]; a -- b })", "x.dot");
    EXPECT_EQ(graph->label(0), "a");
    EXPECT_EQ(graph->label(1), "b");
}

TEST(NamesOfNodes, AreInOneLine) {
    const auto graph = graph_of(R"(graph { " a  b" -- c })", "x");
    EXPECT_EQ(graph->label(0), "a b");
    const auto alike = graph_of(R"(graph { "a  b" -- "a b" })", "x");  // indistinguishable names
    EXPECT_EQ(alike->label(0), "");
}

TEST(NamesOfNodes, MayHaveSpacesQuotesAndLettersOfAnyLanguage) {
    const auto dot =
        graph_of("graph { \"New York\" -- \"a \\\"b\\\"\" -- Zürich; Zürich [label=\"東 \\\\ 京\\nx\"]; }", "x.dot");
    EXPECT_EQ(dot->label(0), "New York");
    EXPECT_EQ(dot->label(1), "a \"b\"");
    EXPECT_EQ(dot->label(2), "東 \\ 京 x");
    EXPECT_EQ(dot->node("New York"), 0U);
    const auto xml = graph_of(
        "<graphml><key id='l' for='node' attr.name='label'/><graph edgedefault='undirected'><node id='p'><data "
        "key='l'>\n"
        "  A &amp; \"B\"\n</data></node><node id='q'><data key='l'>ü</data></node><edge source='p' "
        "target='q'/></graph></graphml>",
        "x");
    EXPECT_EQ(xml->label(0), "A & \"B\"");
    EXPECT_EQ(xml->label(1), "ü");
}

// ---- what is read ------------------------------------------------------------------------------------------------------

TEST(EdgeList, NumbersNodesByValueWhereAllNamesAreNumbersAndByFirstPlaceElse) {
    const auto numbers = graph_of("\xEF\xBB\xBF# nodes 3 directed 0\n\n  10 5 # a link\r\n7\t10\n", "x");
    EXPECT_EQ(numbers->label(0), "5");
    EXPECT_EQ(numbers->label(1), "7");
    EXPECT_EQ(numbers->label(2), "10");
    EXPECT_EQ(numbers->degree(2), 2U);
    EXPECT_EQ(graph_of("# nodes 1 directed 0\n", "x")->nodes(), 1U);
    const auto words = graph_of("10 b\nb 5", "x");
    EXPECT_EQ(words->label(0), "10");
    EXPECT_EQ(words->label(1), "b");
    EXPECT_EQ(words->label(2), "5");
    const auto zeros = graph_of("7 07\n", "x");  // two names, not one number
    EXPECT_EQ(zeros->nodes(), 2U);
}

TEST(EdgeList, TakesNumbersFarBeyondTheNumberOfNodes) {
    const auto graph = graph_of("18446744073709551615 0\n0 100000\n100000 99999999999\n99999999999 1\n", "x");
    EXPECT_EQ(graph->nodes(), 5U);
    EXPECT_EQ(graph->label(4), "18446744073709551615");
    EXPECT_EQ(graph->degree(graph->node("100000")), 2U);
}

TEST(EdgeList, FindsAgainWhatCameBeforeItsTableGrew) {
    std::string text = "0 200000\n";  // far, and near later
    for (int v = 0; v < 20000; ++v) text += fmt::format("{} {}\n", v, v + 1);
    text += "200000 20000\n";
    const auto graph = graph_of(text, "x");
    EXPECT_EQ(graph->nodes(), 20002U);
    EXPECT_EQ(graph->channels(), 2 * 20002U);
}

TEST(Dot, ReadsChainsPortsAttributesAndComments) {
    const auto graph = graph_of(
        "/* a */ // b\n# c\nstrict GRAPH \"g\" { rankdir=LR; node [shape=box]; edge [len=2, w=1;x];\n"
        "a:p0:n -- b -- \"c\" + \"d\" [weight=3]; -1.5; a -- -1.5 graph [x=\"\\N\"] }",
        "x");
    EXPECT_EQ(graph->nodes(), 4U);
    EXPECT_EQ(graph->label(2), "cd");
    EXPECT_EQ(graph->label(3), "-1.5");
    EXPECT_EQ(graph->channels(), 6U);
}

TEST(Graphml, TakesNodesInTheirOrderEvenAfterTheirEdges) {
    const auto graph = graph_of(
        "<?xml version='1.0'?><g:graphml xmlns:g='x'><g:desc>no</g:desc><g:graph edgedefault='undirected'>"
        "<g:edge source='b' target='a' directed='false'><g:data key='w'>1</g:data></g:edge><g:data "
        "key='k'><y><z/></y></g:data>"
        "<g:node id='a'><g:port name='p'/></g:node><g:node id='b'/></g:graph></g:graphml>",
        "x");
    EXPECT_EQ(graph->label(0), "a");
    EXPECT_EQ(graph->label(1), "b");
}

TEST(Graphml, MayBeInOtherEncodings) {
    const auto graph = graph_of(
        "<?xml version='1.0' encoding='ISO-8859-1'?><graphml><graph edgedefault='undirected'><node "
        "id='\xFC'/></graph></graphml>",
        "x");
    EXPECT_EQ(graph->label(0), "ü");
}

TEST(Loops, AreDroppedWithANote) {
    std::istringstream in("0 1\n1 1\n1 2\n");
    const GraphFile file = read_graph_file(in, "x");
    EXPECT_EQ(file.topology->nodes(), 3U);
    EXPECT_EQ(file.topology->channels(), 4U);
    EXPECT_EQ(file.loops_dropped, 1U);
    EXPECT_THAT(file.notes, testing::ElementsAre("1 loop dropped: no message goes from a node to itself"));
}

TEST(Metis, MayHaveASingleNode) { EXPECT_EQ(graph_of("% one\n1 0 000\n\n", "x.metis")->nodes(), 1U); }

TEST(MatrixMarket, MayBeStoredHalfOrWhole) {
    const auto half = graph_of("%%MatrixMarket matrix coordinate pattern symmetric\n% c\n\n3 3 2\n2 1\n3 2\n", "x");
    const auto whole = graph_of("%%matrixmarket MATRIX coordinate pattern general\n3 3 4\n2 1\n1 2\n3 2\n2 3\n", "x");
    EXPECT_EQ(half->nodes(), 3U);
    EXPECT_EQ(test::wiring_hash(*half), test::wiring_hash(*whole));
}

/// Values of nauty's showg: the Petersen graph, a path of 5 nodes, a complete graph of 3.
TEST(Graph6, IsReadAsNautyWritesIt) {
    const auto petersen = graph_of("IheA@GUAo\n", "x.g6");
    EXPECT_EQ(petersen->nodes(), 10U);
    EXPECT_EQ(petersen->channels(), 30U);
    EXPECT_EQ(petersen->diameter(), 2U);
    EXPECT_EQ(graph_of(">>graph6<<DhC", "x")->diameter(), 4U);
    EXPECT_EQ(graph_of("Bw", "x.g6")->channels(), 6U);
    EXPECT_EQ(graph_of("@", "x.g6")->nodes(), 1U);
}

TEST(Content, TellsTheFormatBeforeTheEndingDoes) {
    EXPECT_EQ(graph_of("graph { a -- b }", "x.edges")->label(0), "a");
    EXPECT_THAT(refusal("% c\n2 1\n2\n1\n", "x"), HasSubstr("one name"));  // METIS is known by its ending
    EXPECT_EQ(graph_of("2 1\n2\n1\n", "x.GRAPH")->nodes(), 2U);
    EXPECT_EQ(graph_of("graph g\ng h\n", "x.dat")->nodes(), 3U);  // names
}

// ---- what is refused ---------------------------------------------------------------------------------------------------

TEST(BadFiles, AreRefusedWithWhatIsWrongWhereAndWhatWouldBeRight) {
    const std::map<std::string, std::string> told = {
        {"apart.edges",
         "nodes '0' and '2' cannot reach each other; want a connected graph, or --largest, which keeps its largest "
         "part"},
        {"asymmetric.metis", "line 3, column 3: node 2 lists 3, and 3 does not list 2; want links in both directions"},
        {"count.metis", "3 links at its beginning, and its lists have 2"},
        {"cut.graphml", "line 2, column 1: XML: no element found; want well-formed XML, down to its last tag"},
        {"directed.dot",
         "line 1, column 1: a digraph is directed; want undirected links, or --undirected, which takes each arc as a "
         "link"},
        {"empty.edges", "it has no nodes; want at least one link, or one node"},
        {"open.dot", "line 2, column 1: the end of the text; want a node, a link or '}'"},
        {"parallel.edges",
         "line 3, column 1: nodes '1' and '0' are linked already in line 1; want each link once, or --trunks (a link "
         "of "
         "capacity 2) or --simplify (one link)"},
        {"range.metis", "line 3, column 3: node 4 is not there; want 1 to 3"},
        {"short.metis", "line 4, column 1: the text ends after the lists of 2 of 3 nodes"},
        {"unknown.graphml", "line 1, column 56: no node is called 'b'"},
        {"word.edges",
         "line 2, column 5: a third word, 'x', which is no weight; want two names a line and perhaps a weight, such as "
         "'0 1'; "
         "lists of neighbours: --format adjlist"}};
    std::size_t looked_at = 0;
    for (const auto& file : std::filesystem::directory_iterator("tests/files/graphs/bad")) {
        const std::string path = file.path();
        ASSERT_TRUE(told.contains(file.path().filename())) << path;
        try {
            (void)read_graph(path);
            ADD_FAILURE() << path << " is accepted";
        } catch (const RequestError& error) {
            EXPECT_EQ(error.what(), fmt::format("graph '{}': {}", path, told.at(file.path().filename())));
        }
        ++looked_at;
    }
    EXPECT_EQ(looked_at, told.size());
}

TEST(BadFiles, ThatCannotBeOpenedSayWhy) {
    const auto why = [](const std::string& path) {
        try {
            (void)read_graph(path);
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(why("no/such.edges"), "graph 'no/such.edges' cannot be read: No such file or directory");
    EXPECT_EQ(why("tests"), "graph 'tests': it is a folder; want a file");
    EXPECT_EQ(why("a\nb"), "graph 'a?b': a path with control characters, or no UTF-8");
}

struct Refused {
    const char* name;
    std::string text;
    std::string why;  ///< is part of the message
};

class BadText : public testing::TestWithParam<Refused> {};

TEST_P(BadText, IsRefusedInOneLine) {
    EXPECT_THAT(refusal(GetParam().text, GetParam().name), HasSubstr(GetParam().why));
}

const std::string xml_begin = "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/>";
const std::string mm = "%%MatrixMarket matrix coordinate pattern ";

INSTANTIATE_TEST_SUITE_P(
    EdgeLists, BadText,
    testing::Values(
        Refused{"x.edges", "0 1\n2\n", "line 2, column 1: one name"},
        Refused{"x.edges", "0 1 nan\n", "line 1, column 5: a third word, 'nan'"},
        Refused{"x.edges", "# nodes 2 directed 1\n0 1\n", "the graph is directed"},
        Refused{"x.edges", "0 1\a\n", "line 1, column 3: the name '1?' has control characters"},
        Refused{"x.edges", "a \xFF\xFE\n", "line 1, column 3: the name '?\?' has control characters or is no UTF-8"},
        Refused{"x.edges", "a \xED\xA0\x80\n", "is no UTF-8"},
        Refused{"x.edges", "a \xC2\x85\n", "has control characters"},
        Refused{"x.edges", "a \xEF\xBF\xBF\n", "is no UTF-8"},
        Refused{"x.edges", "a " + std::string(1 << 20, 'b'), "line 1, column 1: a line of more than 131072 bytes"},
        Refused{"x.edges", "a " + std::string(5000, 'b'), "line 1, column 3: a name of more than 4096 bytes"},
        Refused{"x.edges", "# nodes 4000000000 directed 0\n0 1\n",
                "line 1, column 9: 4000000000 nodes are said here, and the links have 2"},
        Refused{"x.edges", "# nodes 0 directed 0\n", "it has no nodes"}, Refused{"x.edges", "", "it has no nodes"}));
INSTANTIATE_TEST_SUITE_P(
    MetisFiles, BadText,
    testing::Values(
        Refused{"x.metis", "", "it has no nodes"}, Refused{"x.metis", "0 0\n", "without nodes"},
        Refused{"x.metis", "2\n", "line 1, column 2: the number of links is missing"},
        Refused{"x.metis", "2 1 002\n2 5\n1 5\n", "line 1, column 5: '002' after"},
        Refused{"x.metis", "2 1 001\n2 5\n1\n", "line 3, column 2: the weight of a link is missing"},
        Refused{"x.metis", "2 1 1\n2 5\n1 6\n", "line 2, column 1: nodes 1 and 2 give their link different"},
        Refused{"x.metis", "2 1 0 1 1\n2\n1\n", "one word too many"},
        Refused{"x.metis", "4000000000000 1\n", "a graph from a file has at most 4294967294"},
        Refused{"x.metis", "4000000000 1\n2\n", "line 3, column 1: the text ends after the lists of 1 of 4000000000"},
        Refused{"x.metis", "2 1\n2\n1\n1\n", "line 4, column 1: one more line than there are nodes"},
        Refused{"x.metis", "2 1\n2\n-1\n", "line 3, column 1: a neighbour is '-1'; want a whole number"},
        Refused{"x.metis", "2 1\n1 2\n3\n", "line 3, column 1: node 3 is not there; want 1 to 2"},
        Refused{"x.metis", "3 2\n2 3\n1 3\n1\n", "line 3, column 3: node 2 lists 3, and 3 does not list 2"},
        Refused{"x.metis", "3 2\n2 2\n1 3\n2\n", "line 2, column 1: node 1 lists 2 twice"},
        Refused{"x.metis", "2 2\n2 2\n1 1\n", "line 2, column 3: nodes 1 and 2 are linked already in line 2"},
        Refused{"x.metis", "4 2\n2\n1\n4\n3\n", "nodes 1 and 3 cannot reach each other"}));
INSTANTIATE_TEST_SUITE_P(
    MatrixMarketFiles, BadText,
    testing::Values(
        Refused{"x.mtx", "0 1\n", "line 1, column 1: '0'; want %%MatrixMarket ('%%"},
        Refused{"x", "%%MatrixMarket matrix list real general\n",
                "line 1, column 23: 'list'; want coordinate or array"},
        Refused{"x", mm + "hermitian\n", "a hermitian matrix is directed"},
        Refused{"x", "%%MatrixMarket matrix array pattern general\n", "an array of no values"},
        Refused{"x", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n", "the text ends in column 2"},
        Refused{"x", mm + "symmetric\n", "the text ends before the size"},
        Refused{"x", mm + "symmetric\n2 3 1\n2 1\n", "2 rows and 3 columns; want a square matrix"},
        Refused{"x", mm + "symmetric\n2 2 2\n2 1\n", "line 4, column 1: the text ends after 1 of 2 entries"},
        Refused{"x", mm + "symmetric\n2 2 1\n2 1\n1 2\n", "line 4, column 1: more entries than 1"},
        Refused{"x", mm + "symmetric\n2 2 1\n3 1\n", "the row is '3'; want a whole number from 1 to 2"},
        Refused{"x", mm + "symmetric\n2 2 1\n2 1 5\n", "line 3, column 5: one word too many"},
        Refused{"x", mm + "symmetric\n2 2 1\n2 2\n", "node 1 has no links; want a connected graph, or --largest"},
        Refused{"x", mm + "symmetric\n4000000000 4000000000 1\n2 1\n", "node 3 has no links; want a connected graph"},
        Refused{"x", mm + "general\n4294967294 4294967294 2\n2 7\n7 2\n", "node 1 has no links"},
        Refused{"x", mm + "general\n2 2 1\n2 1\n", "a link from 2 to 1 without its opposite is directed"}));
INSTANTIATE_TEST_SUITE_P(
    Graph6Files, BadText,
    testing::Values(
        Refused{"x.g6", "", "line 1, column 1: the text ends"}, Refused{"x.g6", "?", "without nodes"},
        Refused{"x.g6", "IheA@GUA\n", "line 1, column 9: the text ends before the graph does"},
        Refused{"x.g6", "Bw\nBw\n", "it has 2 graphs; want one graph a file"},
        Refused{"x.g6", "Bww\n", "line 1, column 3: more bytes than the graph takes"},
        Refused{"x.g6", "B~\n", "bits after the last pair"}, Refused{"x.s6", ";An\n", "incremental sparse6"},
        Refused{"x.s6", "An\n", "no ':' at the begin of sparse6"},
        Refused{"x.g6", "&AG\n", "a digraph6 graph is directed"}, Refused{"x.g6", "B!", "byte 33 is none of graph6"},
        Refused{"x.g6", "~~~~~~~~", "a graph from a file has at most"}, Refused{"x.g6", "~~?@????", "the text ends"}));
INSTANTIATE_TEST_SUITE_P(
    DotFiles, BadText,
    testing::Values(Refused{"x.dot", "graph", "line 1, column 6: the end of the text; want '{'"},
                    Refused{"x.dot", "graf { a -- b }", "'graf'; want 'graph NAME {'"},
                    Refused{"x", "graph { a -> b }", "line 1, column 11: '->' is directed"},
                    Refused{"x", "graph " + std::string(1 << 20, '{'), "more than 256 subgraphs deep"},
                    Refused{"x", "graph { subgraph c }", "'}'; want '{'"},
                    Refused{"x", "graph { a -- <b }", "line 1, column 14: a text in HTML without an end"},
                    Refused{"x", "graph { a -- \"b }", "line 1, column 14: a text in quotes without an end"},
                    Refused{"x", "graph { a -- b /* }", "line 1, column 16: a comment without an end"},
                    Refused{"x", "graph { a -- b [x=] }", "']'; want a value"},
                    Refused{"x", "graph { a -- b } graph { c }", "'graph'; want nothing after the graph"},
                    Refused{"x", "graph { a -- b; b -- a; b -- c }", "nodes 'b' and 'a' are linked already in line 1"},
                    Refused{"x", "graph { a -- b; c }", "nodes 'a' and 'c' cannot reach each other"},
                    Refused{"x", "graph { }", "it has no nodes"}, Refused{"x", "graph { \"\" -- a }", "an empty name"},
                    Refused{"x", "graph { a -- \"b\nc\" }", "has control characters"},
                    Refused{"x", "graph { a -- - }", "'-' is no number and no name"},
                    Refused{"x", "graph { a -- @ }", "line 1, column 14: '@' begins no word of DOT"},
                    Refused{"x", "graph { a -- \"" + std::string(2 << 20, 'x'), "a word of more than 1048576 bytes"},
                    Refused{"x", "graph { a [label=\"" + std::string(5000, 'x') + "\"]}",
                            "a name of more than 4096 bytes"}));
INSTANTIATE_TEST_SUITE_P(
    GraphmlFiles, BadText,
    testing::Values(
        Refused{"x.graphml", "<gexf></gexf>", "no <graph> in it"},
        Refused{"x", "<graphml></graphml>", "no <graph> in it"},
        Refused{"x", "<graphml><graph><node id='a'/></graph></graphml>", "<graph> without edgedefault"},
        Refused{"x", "<graphml><graph edgedefault='directed'/></graphml>", "it has no nodes"},
        Refused{"x",
                "<graphml><graph edgedefault='directed'><node id='a'/><edge source='a' target='a'/></graph></graphml>",
                "line 1, column 54: the graph (edgedefault) is directed"},
        Refused{"x", xml_begin + "<edge source='a' target='b' directed='true'/></graph></graphml>",
                "an edge is directed"},
        Refused{"x", xml_begin + "<edge source='a'/></graph></graphml>", "<edge> without target"},
        Refused{"x", xml_begin + "<node id='a'/></graph></graphml>", "two nodes are called 'a'"},
        Refused{"x", xml_begin + "<hyperedge/></graph></graphml>", "a hyperedge"},
        Refused{"x", xml_begin + "<node id='c'><graph/></node></graph></graphml>", "a graph within a node"},
        Refused{"x", xml_begin + "</graph><graph/></graphml>", "a second <graph>"},
        Refused{"x", "<graphml><graph edgedefault='undirected'/></graphml>", "it has no nodes"},
        Refused{"x", "<graphml><graph edgedefault='undirected'><edge source='a' target='b'/></graph></graphml>",
                "no node is called 'a'"},
        Refused{"x", xml_begin + "<edge source='a' target='b'></graph></graphml>", "XML: mismatched tag"},
        Refused{"x", "<!DOCTYPE g [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><graphml>&b;</graphml>",
                "entities are not read"},
        Refused{"x", "<graphml><" + std::string(3 << 20, 'x'), "a tag of more than 1048576 bytes"},
        Refused{"x", "<graphml><!--" + std::string(3 << 20, 'x'), "a tag of more than 1048576 bytes"},
        Refused{"x", std::string("<graphml>\0", 10), "XML: not well-formed"}));

TEST(BadText, OfAMillionNestedElementsIsRefusedAtItsEnd) {
    std::string text = xml_begin + "<data>";
    for (int i = 0; i < 1'000'000; ++i) text += "<a>";
    EXPECT_THAT(refusal(text, "x"), HasSubstr("XML: no element found"));
}

// ---- specifications ----------------------------------------------------------------------------------------------------

TEST(Specification, TakesAFileOrItsPathAloneAndAsAFactorOfAProduct) {
    know_graph_files();
    know_graph_files();  // once is enough, twice is no more
    EXPECT_EQ(make_topology("file:tests/files/graphs/petersen.dot")->nodes(), 10U);
    EXPECT_EQ(make_topology("tests/files/graphs/petersen.dot")->spec(), "file:tests/files/graphs/petersen.dot");
    EXPECT_EQ(make_topology("product:file:tests/files/graphs/petersen.dot,line:3")->nodes(), 30U);
    EXPECT_EQ(make_topology("petersen")->spec(), "petersen");
    try {
        (void)make_topology("petersen.edges");
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_STREQ(error.what(), "graph 'petersen.edges' cannot be read: No such file or directory");
    }
    EXPECT_THROW((void)make_topology("file:"), RequestError);
    EXPECT_THROW((void)make_topology("petersn"), RequestError);
}

}  // namespace
}  // namespace kport
