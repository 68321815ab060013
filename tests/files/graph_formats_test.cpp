/// @file graph_formats_test.cpp   What a format's writer writes its reader reads: the same machine, with the same names.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "app/files/formats.hpp"
#include "app/files/graph_file.hpp"
#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/stored_graph.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

std::shared_ptr<const Topology> out_and_back(const FileFormat& format, const Topology& graph) {
    std::stringstream text;
    format.write_graph(text, graph);
    return read_graph(text, fmt::format("x{}", format.endings.substr(0, format.endings.find(' '))));
}

/// The neighbours of each node, in ascending order.
std::vector<std::vector<NodeId>> neighbours(const Topology& graph) {
    std::vector<std::vector<NodeId>> all(graph.nodes());
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        for (Port p = 0; p < graph.ports(); ++p)
            if (const NodeId w = graph.across(v, p).node; w != no_node) all[v].push_back(w);
        std::ranges::sort(all[v]);
    }
    return all;
}

bool keeps_labels(const FileFormat& format) { return has_word(format.keeps, "names"); }

class EveryGraphFormat : public testing::TestWithParam<FileFormat> {};

TEST_P(EveryGraphFormat, KeepsAGraphOfAnyFamily) {
    if (GetParam().write_graph == nullptr) GTEST_SKIP();
    test::Sample sample(5);
    for (NodeId nodes : {1U, 2U, 6U, 10U, 24U})
        for (const std::string& spec : topologies_of(nodes)) {
            if (sample.leaves_out()) continue;
            const auto graph = make_topology(spec);
            const auto back = out_and_back(GetParam(), *graph);
            ASSERT_EQ(neighbours(*back), neighbours(*graph)) << spec;
            if (!keeps_labels(GetParam())) continue;
            for (NodeId v = 0; v < nodes; ++v) ASSERT_EQ(back->label(v), graph->label(v)) << spec;
        }
}

TEST_P(EveryGraphFormat, KeepsASingleNode) {
    if (GetParam().write_graph == nullptr) GTEST_SKIP();
    EXPECT_EQ(out_and_back(GetParam(), *make_topology("line:1"))->nodes(), 1U);
}

/// A name of any letters, without blanks at its ends, where they mean nothing.
std::string drawn_name(NodeId v) {
    const auto letters = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "Z", "0", " ", "\"", "\\", "<", "&", "'", "#", "--", "ü", "東", "]]>", ";", "%"));
    std::string name = fmt::format("x{}-", v);
    for (const std::string& letter : letters) name += name.ends_with(" ") && letter == " " ? "" : letter;
    return name + ".";
}

RC_GTEST_PROP(RandomGraphs, ComeBackFromEveryFormatWithTheirNames, ()) {
    const auto nodes = *rc::gen::inRange<NodeId>(2, 70);
    const auto more = *rc::gen::inRange<NodeId>(0, 1 + nodes * (nodes - 1) / 2 - (nodes - 1));
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const auto drawn = make_topology(fmt::format("random-connected:{},{},{}", nodes, nodes - 1 + more, seed));
    std::vector<StoredGraph::Link> links;
    std::vector<std::string> names;
    for (NodeId v = 0; v < nodes; ++v) {
        names.push_back(drawn_name(v));
        for (Port p = 0; p < drawn->labels(v); ++p)
            if (const NodeId w = drawn->across(v, p).node; v < w)
                links.push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w)});
    }
    const StoredGraph graph("file:\"&<x>\\", nodes, links, names);
    for (const FileFormat& format : file_formats()) {
        if (format.write_graph == nullptr) continue;
        const auto back = out_and_back(format, graph);
        RC_ASSERT(neighbours(*back) == neighbours(graph));
        for (NodeId v = 0; v < nodes; ++v)
            if (keeps_labels(format)) RC_ASSERT(back->label(v) == names[v]);
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryGraphFormat, testing::ValuesIn(file_formats().begin(), file_formats().end()),
                         [](const auto& instance) {
                             std::string name(instance.param.name);
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(EveryGraphFormatThatKeepsThem, KeepsSwitchesTrunksAndWeights) {
    std::istringstream in("graph { s [kind=switch]; a -- s [weight=2]; a -- s [weight=2]; b -- s [speed=0.5] }");
    const GraphFile file = read_graph_file(in, "x.dot", {.trunks = true});
    for (const FileFormat& format : file_formats()) {
        if (format.write_graph == nullptr || !has_word(format.keeps, "switches")) continue;
        std::stringstream text;
        format.write_graph(text, file);
        const GraphFile back = read_graph_file(text, "x", {.trunks = true});
        EXPECT_EQ(back.format, format.name);
        EXPECT_EQ(back.hosts, 2U) << format.name;
        EXPECT_EQ(back.capacities, file.capacities) << format.name;
        if (!has_word(format.keeps, "weights")) continue;
        ASSERT_EQ(back.attributes.size(), 2U) << format.name;
        for (const LinkAttribute& attribute : back.attributes)
            EXPECT_EQ(attribute.values.at(attribute.name == "weight" ? 0 : 1), attribute.name == "weight" ? 2 : 0.5)
                << format.name;
    }
}

TEST(Formats, AreFoundByNameAndEnding) {
    EXPECT_EQ(format_named("mm").name, "mm");
    EXPECT_EQ(format_of_path("a/B.GraphML")->name, "graphml");
    EXPECT_EQ(format_of_path("a.graph")->name, "metis");
    EXPECT_EQ(format_of_path("a.gml.GZ")->name, "gml");
    EXPECT_EQ(format_of_path("a.b"), nullptr);
    try {
        (void)format_named("graphm");
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(),
                    testing::HasSubstr("unknown format 'graphm'; did you mean 'graphml'? (edges, adjlist, matrix"));
    }
}

}  // namespace
}  // namespace kport
