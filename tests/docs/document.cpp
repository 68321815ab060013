#include "tests/docs/document.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace kport::docs {
namespace {

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

/// The cells of "| a | b |"; a bar after a backslash belongs to its cell.
Cells cells_of(std::string_view line) {
    Cells cells;
    std::string cell;
    for (std::size_t i = 1; i < line.size(); ++i) {
        if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
            cell += line[++i];
        } else if (line[i] == '|') {
            cells.push_back(trimmed(cell));
            cell.clear();
        } else {
            cell += line[i];
        }
    }
    return cells;
}

bool is_rule(std::string_view line) { return line.find_first_not_of("|-: ") == std::string_view::npos; }

/// Reads line by line what stands outside of fences.
class Reader {
  public:
    explicit Reader(Document& page) : page_(page) {}

    void read() {
        std::size_t begin = 0;
        for (std::size_t number = 1; begin < page_.text.size(); ++number) {
            const std::size_t end = std::min(page_.text.find('\n', begin), page_.text.size());
            line(number, begin, std::string_view(page_.text).substr(begin, end - begin));
            begin = end + 1;
        }
        if (inside_)
            throw std::runtime_error(
                fmt::format("{}:{}: the fence is not closed", page_.name, page_.fences.back().line));
        flush_table_line();
    }

  private:
    void line(std::size_t number, std::size_t begin, std::string_view text) {
        if (inside_) {
            if (text.starts_with("```"))
                inside_ = false;
            else
                page_.fences.back().text += std::string(text) + "\n";
            return;
        }
        if (text.starts_with("```")) {
            page_.fences.push_back({trimmed(text.substr(3)), number + 1, begin + text.size() + 1, {}});
            inside_ = true;
            return;
        }
        if (text.starts_with('#')) {
            const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
            page_.headings.push_back({static_cast<int>(level), trimmed(text.substr(level))});
        }
        table_line(text);
        links(number, text);
    }

    /// A row is a table's heading if a rule follows it: so each waits for the line after it.
    void table_line(std::string_view text) {
        if (!text.starts_with('|')) {
            flush_table_line();
            return;
        }
        if (is_rule(text)) {
            waiting_.clear();
            return;
        }
        flush_table_line();
        waiting_ = cells_of(text);
    }
    void flush_table_line() {
        if (!waiting_.empty()) page_.rows.push_back(std::exchange(waiting_, {}));
    }

    void links(std::size_t number, std::string_view text) {
        static const std::regex link(R"(\]\(([^)\s]+)\))");
        const std::string words(text);
        for (std::sregex_iterator it(words.begin(), words.end(), link), end; it != end; ++it)
            page_.links.push_back({number, (*it)[1]});
    }

    Document& page_;
    bool inside_ = false;
    Cells waiting_;
};

}  // namespace

Document parse(std::string name, std::string text) {
    Document page;
    page.name = std::move(name);
    page.text = std::move(text);
    Reader(page).read();
    return page;
}

Document read_document(const std::filesystem::path& root, const std::string& name) {
    std::ifstream in(root / name, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + name);
    Document page = parse(name, {std::istreambuf_iterator<char>(in), {}});
    page.path = root / name;
    return page;
}

std::string anchor_of(std::string_view heading) {
    std::string anchor;
    for (const char c : heading) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')
            anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (c == ' ')
            anchor += '-';
    }
    return anchor;
}

std::vector<std::string> pages(const std::filesystem::path& root) {
    std::vector<std::string> names = {"README.md"};
    for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
        if (entry.path().extension() == ".md") names.push_back("docs/" + entry.path().filename().string());
    for (const char* folder :
         {"emulator", "algorithms", "app/session", "app/requests", "app/cli", "app/umpire", "tests", "examples"})
        if (std::filesystem::exists(root / folder / "README.md")) names.push_back(std::string(folder) + "/README.md");
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace kport::docs
