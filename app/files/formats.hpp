/// @file formats.hpp   The files that kport reads and writes, a row for each format.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "app/files/graph_file.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

class GraphBuilder;
class TextSource;
struct GraphToWrite;

/// A format of files. It has a reader or writer for what it can hold; the others are null.
struct FileFormat {
    std::string_view name;     ///< "metis"
    std::string_view holds;    ///< "graph"
    std::string_view endings;  ///< of files, the usual one first: ".metis .graph"
    std::string_view about;    ///< a line: what is read of it
    std::string_view
        keeps;  ///< what a written file holds besides nodes and links: "names switches trunks weights", or parts of it
    std::string_view options;  ///< options for reading that only some formats have: "--header --separator"
    /// Whether a file that begins so has this format; null: only the ending says so.
    bool (*begins)(std::string_view head) = nullptr;
    void (*read_graph)(TextSource& text, GraphBuilder& into) = nullptr;
    void (*write_graph)(std::ostream& out, const GraphToWrite& file) = nullptr;
};

/// Returns all formats in the order in which they are listed.
[[nodiscard]] std::span<const FileFormat> file_formats();
/// Returns the format of that name. Throws RequestError with the nearest name.
[[nodiscard]] const FileFormat& format_named(std::string_view name);
/// Whether the path has one of the space-separated endings, in any case.
[[nodiscard]] bool has_ending(std::string_view path, std::string_view endings);
/// The format of files with the ending of this path, in any case and also before ".gz"; null where none has it.
[[nodiscard]] const FileFormat* format_of_path(std::string_view path);
/// The format of a graph file: as its first bytes say, else the path's ending, else a list of links. `is_whole`: `head` is the whole
/// file. Throws RequestError for what is known to be something else, with its name.
[[nodiscard]] const FileFormat& format_of_graph(std::string_view head, bool is_whole, std::string_view path);

}  // namespace kport
