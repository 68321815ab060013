/// @file graph_dialects_test.cpp   Graph files as people write them: a table says how each is read, or why it is refused.
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/graph_file.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/fabric.hpp"
#include "tests/oracle/table.hpp"

namespace kport {
namespace {

using oracle::Row;
using testing::Contains;
using testing::HasSubstr;

/// Options as the command line takes them.
GraphOptions options_in(const std::string& words) {
    GraphOptions options;
    std::istringstream in(words);
    std::string word;
    const auto value = [&] {
        std::string given;
        in >> given;
        return given;
    };
    while (in >> word) {
        if (word == "--undirected")
            options.undirected = true;
        else if (word == "--trunks")
            options.trunks = true;
        else if (word == "--simplify")
            options.simplify = true;
        else if (word == "--largest")
            options.largest = true;
        else if (word == "--header")
            options.header = value() == "yes";
        else if (word == "--format")
            options.format = value();
        else if (word == "--separator")
            options.separator = value();
        else if (word == "--switches")
            options.switches = value();
        else
            ADD_FAILURE() << word;
    }
    return options;
}

std::vector<std::string> names_of(const Topology& graph) {
    std::vector<std::string> names;
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        const std::string label = graph.label(v);
        names.push_back(label.empty() ? std::to_string(v) : label);
    }
    return names;
}

class Dialect : public testing::TestWithParam<Row> {};

TEST_P(Dialect, IsReadAsTheTableSays) {
    const Row& row = GetParam();
    const std::string path = "tests/files/graphs/dialects/" + row["file"];
    try {
        const GraphFile file = read_graph_file(path, options_in(row["options"]));
        ASSERT_EQ(row["result"], "read") << row.place() << " " << path;
        EXPECT_EQ(file.format, row["format"]) << row.place();
        EXPECT_EQ(file.topology->nodes(), row.number("nodes")) << row.place();
        EXPECT_EQ(file.hosts, row.number("hosts")) << row.place();
        EXPECT_EQ(file.topology->channels() / 2, row.number("links")) << row.place();
        EXPECT_EQ(file.channels(), row.number("channels")) << row.place();
        EXPECT_EQ(fmt::format("{}", fmt::join(names_of(*file.topology), "|")), row["names"]) << row.place();
        EXPECT_EQ(file.loops_dropped, row.number("loops_dropped")) << row.place();
        EXPECT_EQ(file.parallel_merged, row.number("parallel_merged")) << row.place();
        EXPECT_EQ(file.nodes_dropped, row.number("nodes_dropped")) << row.place();
        std::vector<std::string> weights;
        for (const LinkAttribute& attribute : file.attributes) weights.push_back(attribute.name);
        EXPECT_EQ(fmt::format("{}", fmt::join(weights, "|")), row["weights"]) << row.place();
    } catch (const RequestError& error) {
        ASSERT_EQ(row["result"], "refused") << row.place() << " " << path << ": " << error.what();
        EXPECT_THAT(error.what(), HasSubstr(row["says"])) << row.place();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, Dialect, testing::ValuesIn(oracle::rows_in("../files/graphs/dialects/dialects.csv")));

// ---- other differences ---------------------------------------------------------------------------------------------------

GraphFile read_text(const std::string& text, const std::string& options = "", const std::string& name = "x") {
    std::istringstream in(text);
    return read_graph_file(in, name, options_in(options));
}

std::string refused_because(const std::string& text, const std::string& options = "", const std::string& name = "x") {
    try {
        (void)read_text(text, options, name);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

std::string names_in(const std::string& text, const std::string& options = "", const std::string& name = "x") {
    return fmt::format("{}", fmt::join(names_of(*read_text(text, options, name).topology), "|"));
}

TEST(ListOfLinks, HasOneSeparatorThatEveryLineHas) {
    EXPECT_EQ(names_in("a;b\nb;c d\n"), "a|b|c d");
    EXPECT_EQ(names_in("a b\tc\nc\td\n"), "a b|c|d");
    EXPECT_EQ(names_in("a b\nc\tb\n"), "a|b|c");  // a tab is a blank where not every line has one
    EXPECT_EQ(names_in("\"a,b\",c\nc,'d, e'\n"), "a,b|c|d, e");
    EXPECT_EQ(names_in("\"say \"\"a\"\"\",b\n"), "say \"a\"|b");
    EXPECT_EQ(names_in("O'Brien b\nb O'Hara\n"), "O'Brien|b|O'Hara");
    EXPECT_EQ(names_in("f(x, y),b\nb,c\n"), "f(x, y)|b|c");
    EXPECT_EQ(names_in("[0, 1]\n[1, 2]\n"), "0|1|2");
    EXPECT_THAT(refused_because("1, 2\n3 4\n"),
                HasSubstr("line 1, column 1: '1,' ends with ',', and not every line has one"));
    EXPECT_EQ(names_in("a b,c\n", "--separator blanks"), "a|b,c");
    EXPECT_EQ(names_in("a b,c\n", "--separator comma"), "a b|c");
    EXPECT_THAT(refused_because("a b\n", "--separator pipe"), HasSubstr("want comma, semicolon, tab or blanks"));
    EXPECT_EQ(read_text("a;b\n").separator, "semicolon");
}

TEST(ListOfLinks, MayHaveAHeaderOfCountsOrOfWords) {
    EXPECT_EQ(read_text("3 2\n0 1\n1 2\n").header, true);
    EXPECT_THAT(read_text("3 2\n0 1\n1 2\n").notes, Contains("the first line is a header: 3 nodes, 2 links"));
    EXPECT_EQ(names_in("From;To;Speed\na;b;1\nb;c;2\n"), "a|b|c");
    EXPECT_EQ(read_text("From;To;Speed\na;b;1\nb;c;2\n").attributes.at(0).name, "Speed");
    EXPECT_EQ(read_text("weight,target,source\n4,a,b\n").attributes.at(0).values.at(0), 4);
    EXPECT_EQ(names_in("a b\nb c\n"), "a|b|c");
    EXPECT_THAT(refused_because("u v\nu w\n"), HasSubstr("--header"));
    EXPECT_EQ(names_in("u v\nu w\n", "--header no"), "u|v|w");
    EXPECT_THAT(refused_because("id_1 id_2\n0 1\n"), HasSubstr("--header"));
    EXPECT_EQ(names_in("id_1 id_2\n0 1\n", "--header yes"), "0|1");
    EXPECT_THAT(refused_because("4\n1 2\n"), HasSubstr("2 nodes follow"));
    EXPECT_THAT(refused_because("source,target,type\na,b,Directed\n"), HasSubstr("--undirected"));
    EXPECT_THAT(refused_because("source,target\na,b,c\n"), HasSubstr("3 fields, and the header has 2"));
}

TEST(ListOfLinks, RefusesWhatIsNone) {
    EXPECT_THAT(refused_because("0 1 red\n"), HasSubstr("line 1, column 5: a third word, 'red'"));
    EXPECT_THAT(refused_because("0 1 2 3\n1 2\n"), HasSubstr("--format adjlist"));
    EXPECT_THAT(refused_because("0 1\n2\n"), HasSubstr("line 2, column 1: one name"));
    EXPECT_THAT(refused_because("a: b\nc: d\n"), HasSubstr("text of 'key: value'"));
    EXPECT_THAT(refused_because("a -> b\nb c\n", "--undirected"), HasSubstr("no '->' between two names"));
    EXPECT_THAT(refused_because("[[0, 1], [1, 2]]"), HasSubstr("a list in JSON"));
    EXPECT_THAT(refused_because("1 A\n2 B\n#\n1 2\n"),
                HasSubstr("line 3, column 1: a line '#' between others, as in TGF"));
    EXPECT_THAT(refused_because("(0, 1)\n0, 2\n"),
                HasSubstr("one name"));  // brackets around one line are part of a name
}

TEST(ListOfLinks, TakesWeightsOfOpposites) {
    EXPECT_EQ(read_text("0 1 4\n1 0 4\n").topology->channels(), 2U);
    EXPECT_THAT(read_text("0 1 4\n1 0 4\n").notes, Contains(HasSubstr("both directions")));
    EXPECT_EQ(read_text("0 1 4\n1 0 5\n", "--undirected").attributes.at(0).values.at(0), 4);
}

TEST(ParallelLinks, AreTrunksOnlyWithTheSameWeights) {
    EXPECT_EQ(read_text("0 1 4\n0 1 4\n0 2 1\n", "--trunks").capacities, (std::vector<std::uint32_t>{2, 1}));
    EXPECT_THAT(refused_because("0 1 4\n0 1 5\n0 2 1\n", "--trunks"),
                HasSubstr("different weights, which make no trunk"));
    EXPECT_EQ(read_text("0 1 5\n0 1 4\n0 2 1\n", "--simplify").attributes.at(0).values.at(0), 4);
    EXPECT_THAT(refused_because("0 1\n0 1\n", "--trunks --simplify"), HasSubstr("want one of them"));
}

TEST(LargestPart, HasMostHostsThenMostNodesThenTheLowestNumber) {
    EXPECT_EQ(names_in("0 1\n2 3\n3 4\n", "--largest"), "2|3|4");
    EXPECT_EQ(names_in("0 1\n2 3\n", "--largest"), "0|1");
    EXPECT_EQ(names_in("# switches 5 6\n0 5\n5 6\n6 7\n1 2\n2 3\n", "--largest"), "1|2|3");
    EXPECT_EQ(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 1\n2 1\n", "--largest").nodes_dropped,
              2U);
}

TEST(Switches, AreMarkedInTheFileOrByTheOptions) {
    EXPECT_EQ(read_text("# switches s\na s\nb s\n").hosts, 2U);
    EXPECT_EQ(read_text("graph { node [kind=switch]; s; node [kind=host]; a -- s -- b }").hosts, 2U);
    EXPECT_EQ(read_text("graph { s [type=router]; a -- s -- b }", "--switches @type=router").hosts, 2U);
    EXPECT_EQ(
        read_text(R"({"nodes": [{"id": "s", "kind": "switch"}, {"id": 1}], "links": [{"source": "s", "target": 1}]})")
            .hosts,
        1U);
    EXPECT_EQ(read_text("graph [ node [ id 0 kind \"switch\" ] node [ id 1 ] edge [ source 0 target 1 ] ]").hosts, 1U);
    EXPECT_THAT(refused_because("a s\nb s\n", "--switches x"), HasSubstr("no node is called 'x'"));
    EXPECT_THAT(refused_because("a s\nb s\n", "--switches @type=x"), HasSubstr("no node is one"));
    EXPECT_THAT(refused_because("a s\n", "--switches a,s"), HasSubstr("every node is a switch"));
    EXPECT_THAT(refused_because("# switches x\na s\n"), HasSubstr("line 1, column 12: no node is called 'x'"));
}

TEST(Switches, AndTrunksStandBehindTheGraphOfTheHosts) {
    const auto star = machine_graph(read_text("# switches 2\n0 2\n1 2\n"));
    EXPECT_EQ(star->nodes(), 2U);
    EXPECT_EQ(star->wires().nodes(), 3U);
    EXPECT_EQ(star->fabric()->one_message(0, 1), 2U);
    EXPECT_THROW((void)star->node("2"), RequestError);
    const auto trunk = machine_graph(read_text("0 1\n0 1\n0 2\n", "--trunks"));
    EXPECT_EQ(trunk->nodes(), 3U);
    EXPECT_EQ(trunk->fabric()->capacity(0, 0), 2U);
    EXPECT_EQ(trunk->width(0), 3U);
    EXPECT_EQ(machine_graph(read_text("0 1\n"))->fabric(), nullptr);
}

TEST(ForeignFiles, AreNamed) {
    EXPECT_THAT(refused_because("dl n=3 format=edgelist1\n"), HasSubstr("a UCINET DL file"));
    EXPECT_THAT(refused_because("nodedef>name VARCHAR\na\n"), HasSubstr("a GDF file"));
    EXPECT_THAT(refused_because("router 0 node 0 router 1\n"), HasSubstr("BookSim"));
    EXPECT_THAT(refused_because("?SNDlib native format; type: network; version: 1.0\n"), HasSubstr("SNDlib"));
    EXPECT_THAT(refused_because("<?xml version='1.0'?><!-- x --><svg/>"), HasSubstr("a picture in SVG"));
    EXPECT_THAT(refused_because("<algo/>"), HasSubstr("an MSCCL schedule"));
    EXPECT_THAT(refused_because("<other/>"), HasSubstr("the root <other>"));
    EXPECT_THAT(refused_because("%PDF-1.7\n"), HasSubstr("binary file"));
    EXPECT_THAT(refused_because(std::string("0 1\0\n", 5)), HasSubstr("binary file"));
    EXPECT_THAT(refused_because("BZh91AY"), HasSubstr("bzip2"));
    EXPECT_THAT(refused_because("broadcast from 0\nround 1: 0 -> 1\n"), HasSubstr("it is a schedule (text)"));
    EXPECT_THAT(refused_because("{\"elements\": {}}"), HasSubstr("JSON without \"nodes\""));
    EXPECT_THAT(refused_because("%%MatrixMarket matrix coordinate complex general\n"),
                HasSubstr("a complex Matrix Market"));
}

// ---- each format: what is taken besides the table's rows, and what is refused ------------------------------------------

TEST(AdjacencyList, ListsALinkOnceOrTwice) {
    EXPECT_EQ(read_text("a b c\nb a\n", "--format adjlist").topology->channels(), 4U);
    EXPECT_THAT(refused_because("a b b\n", "--format adjlist"), HasSubstr("linked already"));
}

TEST(MatrixOfNumbers, IsSquareAndSymmetric) {
    EXPECT_EQ(read_text("0 2 0 0\n2 0 1 0\n0 1 0 1\n0 0 1 5\n").attributes.at(0).values,
              (std::vector<double>{2, 1, 1}));
    EXPECT_EQ(read_text("0 2 0 0\n2 0 1 0\n0 1 0 1\n0 0 1 5\n").loops_dropped, 1U);
    EXPECT_THAT(refused_because("0 1\n1\n", "", "x.adj"),
                HasSubstr("line 2, column 1: 1 numbers in this row, and 2 in the first"));
    EXPECT_THAT(refused_because("0 1\n", "", "x.adj"), HasSubstr("the matrix ends after 1 of 2 rows"));
    EXPECT_THAT(refused_because("0\n0\n", "", "x.adj"), HasSubstr("more rows than the 1 columns"));
    EXPECT_THAT(refused_because("0 x\n1 0\n", "", "x.adj"), HasSubstr("line 1, column 3: 'x'; want a finite number"));
    EXPECT_THAT(refused_because("0 1 0 0\n0 0 1 0\n0 0 0 1\n0 0 0 0\n"), HasSubstr("--undirected"));
    EXPECT_THAT(refused_because("0 1\n2 0\n", "", "x.adj"), HasSubstr("other weights in the opposite direction"));
}

const std::string gexf = "<gexf><graph defaultedgetype='undirected'>";

TEST(Gexf, HasAttributesWithDefaults) {
    const GraphFile file = read_text(
        gexf +
        "<attributes class='node'><attribute id='0' title='kind' type='string'><default>switch</default></attribute>"
        "</attributes><attributes class='edge'><attribute id='0' title='speed' type='float'/></attributes>"
        "<nodes><node id='s'/><node id='a'><attvalues><attvalue for='0' value='host'/></attvalues></node></nodes>"
        "<edges><edge source='a' target='s'><attvalues><attvalue for='0' value='1.5'/></attvalues></edge></edges>"
        "</graph></gexf>");
    EXPECT_EQ(file.hosts, 1U);
    EXPECT_EQ(file.attributes.at(0).name, "speed");
    EXPECT_EQ(file.attributes.at(0).values.at(0), 1.5);
}

TEST(Gexf, IsRefusedWhereItIsNoGraph) {
    EXPECT_THAT(refused_because("<gexf></gexf>"), HasSubstr("no <graph> in it"));
    EXPECT_THAT(refused_because("<graphml/>", "--format gexf"), HasSubstr("no GEXF; want <gexf>"));
    EXPECT_THAT(
        refused_because("<gexf><graph defaultedgetype='directed'><nodes><node id='0'/><node id='1'/></nodes><edges>"
                        "<edge source='0' target='1'/></edges></graph></gexf>"),
        HasSubstr("--undirected"));
    EXPECT_THAT(refused_because(gexf + "<edges><edge source='0'/></edges></graph></gexf>"),
                HasSubstr("<edge> without target"));
    EXPECT_THAT(refused_because(
                    gexf + "<nodes><node id='0'/></nodes><edges><edge source='0' target='1'/></edges></graph></gexf>"),
                HasSubstr("no node is called '1'"));
}

TEST(Gml, HasEntitiesCommentsAndOtherKeys) {
    const GraphFile file = read_text(
        "# c\nCreator \"x\"\nVersion 1\ngraph\n[ comment \"y\" node [ id 7 label \"a &quot;b&quot; &#246;\" "
        "graphics [ x 1 ] ] node [ id 3 ] edge [ target 3 source 7 LinkSpeed \"10\" cost 2.5 ] ]\n");
    EXPECT_EQ(fmt::format("{}", fmt::join(names_of(*file.topology), "|")), "a \"b\" ö|3");
    ASSERT_EQ(file.attributes.size(), 1U);
    EXPECT_EQ(file.attributes.at(0).name, "cost");
}

TEST(Gml, IsRefusedWithThePlace) {
    EXPECT_THAT(refused_because("graph [ node [ id 0 ]\n"), HasSubstr("a list without an end"));
    EXPECT_THAT(refused_because("graph [ node [ label \"a\" ] ]"), HasSubstr("column 9: a node without id"));
    EXPECT_THAT(refused_because("graph [ node [ id 0 ] edge [ source 0 ] ]"),
                HasSubstr("an edge without source or target"));
    EXPECT_THAT(refused_because("graph [ node [ id 0 ] edge [ source 0 target 1 ] ]"),
                HasSubstr("no node is called '1'"));
    EXPECT_THAT(refused_because("graph [ node [ id 0 ] node [ id 0 ] ]"), HasSubstr("two nodes are called '0'"));
    EXPECT_THAT(refused_because("graph [ directed 1 node [ id 0 ] ]"), HasSubstr("--undirected"));
    EXPECT_THAT(refused_because("graph [ node [ id \"a ] ]"), HasSubstr("without an end; want '\"'"));
    EXPECT_THAT(refused_because("graph [ node [ id ] ]"), HasSubstr("'id' has no value"));
    EXPECT_THAT(refused_because("graph [ 3 4 ]"), HasSubstr("'3'; want a key"));
    EXPECT_THAT(refused_because("graph [ node [ id 0 ] ]\ngraph [ ]"), HasSubstr("a second graph"));
    EXPECT_THAT(refused_because("graph [ node [ id 0 ] ]\n]"), HasSubstr("']' without '['"));
}

TEST(NodeLink, HasNodesInAnyPlaceAndTuplesAsIds) {
    EXPECT_EQ(names_in(R"({"edges": [{"from": 1, "to": "b", "x": {"y": [1]}}], "nodes": [{"id": "b"}, {"id": 1}]})"),
              "b|1");
    EXPECT_EQ(
        names_in(R"({"nodes": [{"id": [0, 1]}, {"id": [1, 1]}], "links": [{"source": [0, 1], "target": [1, 1]}]})"),
        "(0, 1)|(1, 1)");
}

TEST(NodeLink, IsRefusedWithThePlace) {
    EXPECT_THAT(refused_because(R"({"nodes": [{"id": 0}]})"), HasSubstr("JSON without \"links\""));
    EXPECT_THAT(refused_because(R"({"nodes": [{"id": 0}], "links": [{"source": 0}]})"),
                HasSubstr("without source or target"));
    EXPECT_THAT(refused_because(R"({"nodes": [{"id": 0}, {}], "links": []})"), HasSubstr("some nodes have an \"id\""));
    EXPECT_THAT(refused_because(R"({"nodes": [{"id": 0}], "links": [{"source": 0, "target": 1}]})"),
                HasSubstr("no node is called '1'"));
    EXPECT_THAT(refused_because(R"({"nodes": [0], "links": []})"), HasSubstr("want an object, such as {\"id\": 0}"));
    EXPECT_THAT(refused_because(R"({"nodes": [[0]], "links": []})"), HasSubstr("want an object, such as {\"id\": 0}"));
    EXPECT_THAT(refused_because(R"({"nodes": [], "links": [], "edges": []})"), HasSubstr("a second list of 'edges'"));
    EXPECT_THAT(refused_because("{\"nodes\": [\n}"), HasSubstr("line 2, column 2: JSON: syntax error"));
}

TEST(Pajek, ReadsListsMatricesAndNoArcs) {
    EXPECT_EQ(read_text("*Network x\n*Vertices 3\n1 a\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n").topology->channels(), 4U);
    EXPECT_THAT(refused_because("*Vertices 2\n*Edges\n1 3\n"),
                HasSubstr("line 3, column 3: a vertex is '3'; want a whole number from 1 to 2"));
    EXPECT_THAT(refused_because("*Vertices 2\n*Arcslist\n1 2\n"), HasSubstr("--undirected"));
    EXPECT_THAT(refused_because("*Vertices 2\n*Matrix\n0 1\n"), HasSubstr("the matrix ends after 1 of 2 rows"));
    EXPECT_THAT(refused_because("*Vertices 2\n*Partition\n"), HasSubstr("'*partition' is not read"));
    EXPECT_THAT(refused_because("*Edges\n1 2\n", "", "x.net"), HasSubstr("'*edges' before '*Vertices N'"));
    EXPECT_THAT(refused_because("*Vertices 2\n*Vertices 2\n"), HasSubstr("a second '*Vertices'"));
}

TEST(Dimacs, CountsItsLines) {
    EXPECT_THAT(read_text("p col 2 1\ne 1 2\ne 2 1\n").notes, Contains(HasSubstr("counts 1 link, and the file has 2")));
    EXPECT_THAT(refused_because("p edge 3 5\ne 1 2\ne 2 3\n"), HasSubstr("5 links at its beginning, and it has 2"));
    EXPECT_THAT(refused_because("p sp 2 1\na 1 2 3\n"), HasSubstr("--undirected"));
    EXPECT_THAT(refused_because("p sp 2 2\na 1 2 3\na 2 1 4\n"), HasSubstr("--undirected"));
    EXPECT_THAT(refused_because("p edge 2 1\ne 1 3\n"), HasSubstr("a node is '3'; want a whole number from 1 to 2"));
    EXPECT_THAT(refused_because("p edge 2 1\nq 1 2\n"), HasSubstr("'q' begins no line of DIMACS"));
    EXPECT_THAT(refused_because("e 1 2\n", "", "x.col"), HasSubstr("a link before the line 'p edge N M'"));
    EXPECT_THAT(refused_because("p cnf 2 1\n", "", "x.col"), HasSubstr("'cnf'; want edge, col, sp or max"));
    EXPECT_THAT(refused_because("p edge 2 1\np edge 2 1\n"), HasSubstr("a second line 'p'"));
}

TEST(Konect, HasWeightsAndTimes) {
    const GraphFile file = read_text("% sym weighted\n% 2 3 3\n1 2 4 1000\n2 3 5 2000\n");
    ASSERT_EQ(file.attributes.size(), 2U);
    EXPECT_EQ(file.attributes.at(1).name, "time");
    EXPECT_THAT(refused_because("% sym weighted\n% 1 2 2\n1 3\n"),
                HasSubstr("a node is '3'; want a whole number from 1 to 2"));
    EXPECT_THAT(refused_because("% sym weighted\n1 2 x\n"), HasSubstr("the weight is 'x'"));
    EXPECT_THAT(refused_because("% sym weighted\n1\n"), HasSubstr("a node is missing"));
}

TEST(Lgl, NamesTheNodeBeforeItsNeighbours) {
    EXPECT_THAT(refused_because("b 1\n", "", "x.lgl"), HasSubstr("a neighbour before its node"));
    EXPECT_THAT(refused_because("# a\nb x\n", "", "x.lgl"), HasSubstr("the weight is 'x'"));
    EXPECT_THAT(refused_because("# a\nb 1 2\n", "", "x.lgl"), HasSubstr("one word too many"));
}

TEST(Dot, ReadsSetsSubgraphsAndDefaults) {
    EXPECT_EQ(names_in("graph { {a b} -- {c d} }"), "a|b|c|d");
    EXPECT_EQ(read_text("graph { {a b} -- {c d} }").topology->channels(), 8U);
    EXPECT_EQ(read_text("graph { subgraph s { a; b } c -- subgraph s }").topology->channels(), 4U);
    const GraphFile file =
        read_text("graph { edge [weight=2]; a -- b; b -- c [weight=3]; { edge [weight=4]; c -- d } d -- e }");
    EXPECT_EQ(file.attributes.at(0).values, (std::vector<double>{2, 3, 4, 2}));
}

TEST(Graph6, MayBeginAsAnotherFormatDoes) {
    EXPECT_EQ(read_text("[" + std::string(63, '~'), "--simplify", "x.g6").topology->nodes(), 28U);
    EXPECT_EQ(read_text("{" + std::string(295, '~'), "--simplify", "x.g6").format, "graph6");
}

TEST(Options, ThatDoNotChangeAFormatAreRefused) {
    EXPECT_THAT(refused_because("graph { a -- b }", "--header yes"), HasSubstr("leave --header out"));
    EXPECT_THAT(refused_because("graph { a -- b }", "--separator tab"), HasSubstr("leave --separator out"));
    EXPECT_THAT(refused_because("0 1\n", "--format dott"), HasSubstr("did you mean 'dot'?"));
}

TEST(Compressed, FilesAreReadWhateverTheirName) {
    const GraphFile file = read_graph_file("tests/files/graphs/dialects/zipped.edges.gz");
    EXPECT_EQ(file.topology->nodes(), 4U);
    EXPECT_THAT(refused_because("\x1F\x8B\x08"), HasSubstr("gzip: the data end in the middle"));
    EXPECT_THAT(refused_because("\x1F\x8Bxxxxxxxxxxxxxxxx"), HasSubstr("gzip: the data are damaged"));
}

}  // namespace
}  // namespace kport
