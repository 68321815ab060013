#include "app/files/promise_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "app/files/lines.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

NodeId node_at(LineCursor& cursor, NodeId nodes) {
    if (cursor.at_end()) cursor.refuse("ends here; want two nodes, such as 0 1");
    return cursor.number("a node", 0, nodes - 1);
}

}  // namespace

std::vector<NodePair> read_node_pairs(const std::string& path, const std::string& what, NodeId nodes) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw RequestError(fmt::format("{} {} is a folder; want a file", what, quoted(path)));
    std::ifstream in(path, std::ios::binary);
    if (!in) throw RequestError(fmt::format("{} {} cannot be opened: {}", what, quoted(path), std::strerror(errno)));
    Lines lines(in, fmt::format("{} {}", what, quoted(path)));
    std::vector<NodePair> pairs;
    while (lines.next()) {
        LineCursor cursor(lines.text().substr(0, lines.text().find('#')), lines.what(), lines.number());
        if (cursor.at_end()) continue;
        const NodeId from = node_at(cursor, nodes);
        const NodeId to = node_at(cursor, nodes);
        if (!cursor.at_end()) cursor.refuse("goes on; want two nodes a line");
        pairs.push_back({from, to, lines.number()});
    }
    if (pairs.empty()) lines.refuse("has no pair of nodes; want lines such as 0 1");
    return pairs;
}

Permutation read_permutation(const std::string& path, NodeId nodes) {
    std::vector<NodeId> targets(nodes, no_node);
    for (const NodePair& pair : read_node_pairs(path, "permutation: file", nodes)) {
        if (targets[pair.from] != no_node)
            throw RequestError(
                fmt::format("permutation: file {}: line {}: node {} sends to node {} already; want one line "
                            "a node, or an alltoall with counts",
                            quoted(path), pair.line, pair.from, targets[pair.from]));
        targets[pair.from] = pair.to;
    }
    return listed_permutation(std::move(targets), path);
}

}  // namespace kport
