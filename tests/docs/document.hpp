/// @file document.hpp   A page of the documents: the parts of its Markdown that tests check.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kport::docs {

/// A fenced block: ```language, its lines, ```.
struct Fence {
    std::string language;   ///< empty where none is given
    std::size_t line = 0;   ///< of its first line of text, counted from 1
    std::size_t begin = 0;  ///< where that line begins in the page
    std::string text;       ///< the lines between the fences, each with its newline
};

/// A heading: "## 3.2 Controlled flooding" is {2, "3.2 Controlled flooding"}.
struct Heading {
    int level = 0;
    std::string text;
};

/// A link [words](target), not inside a fence.
struct Link {
    std::size_t line = 0;
    std::string target;
};

/// A row of a table: its cells without the blanks around them.
using Cells = std::vector<std::string>;

struct Document {
    std::filesystem::path path;
    std::string name;  ///< from the root of the repository: "docs/model.md"
    std::string text;
    std::vector<Fence> fences;
    std::vector<Heading> headings;
    std::vector<Link> links;
    std::vector<Cells> rows;  ///< of all tables, headings and rules ("---|---") left out
};

/// Reads the Markdown; throws std::runtime_error for a fence that is not closed.
[[nodiscard]] Document parse(std::string name, std::string text);

/// The page as a file. Throws std::runtime_error.
[[nodiscard]] Document read_document(const std::filesystem::path& root, const std::string& name);

/// The anchor that a heading gets on the usual hosts: "3.2 Controlled flooding" is "32-controlled-flooding".
[[nodiscard]] std::string anchor_of(std::string_view heading);

/// The pages whose examples are run: README.md, docs/, and the pages of the folders. Sorted, from the root.
[[nodiscard]] std::vector<std::string> pages(const std::filesystem::path& root);

}  // namespace kport::docs
