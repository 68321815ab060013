/// @file formats.hpp   The files that kport reads and writes, a row for each format.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "emulator/topology/topology.hpp"

namespace kport {

class GraphBuilder;
class TextSource;

/// A format of files. It has a reader or writer for what it can hold; the others are null.
struct FileFormat {
    std::string_view name;     ///< "metis"
    std::string_view holds;    ///< "graph"
    std::string_view endings;  ///< of files, the usual one first: ".metis .graph"
    std::string_view about;    ///< a line: what is read of it, what is refused
    bool keeps_labels;         ///< of nodes; otherwise they are comments, or missing
    void (*read_graph)(TextSource& text, GraphBuilder& into) = nullptr;
    void (*write_graph)(std::ostream& out, const Topology& graph) = nullptr;
};

/// Returns all formats in the order in which they are listed.
[[nodiscard]] std::span<const FileFormat> file_formats();
/// Returns the format of that name. Throws RequestError with the nearest name.
[[nodiscard]] const FileFormat& format_named(std::string_view name);
/// Whether the path has one of the space-separated endings, in any case.
[[nodiscard]] bool has_ending(std::string_view path, std::string_view endings);
/// Returns the format for the ending of this path, in any case; null if there is none.
[[nodiscard]] const FileFormat* format_of_path(std::string_view path);

}  // namespace kport
