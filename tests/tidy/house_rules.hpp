/// @file house_rules.hpp   The house rules that are checked by machine. Each finding gives the reason for its rule.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kport::tidy {

/// One sentence a finding: file, line where there is one, what is wrong, why that matters.
using Findings = std::vector<std::string>;

/// The files named by #include "..." in the text.
[[nodiscard]] std::vector<std::string> project_includes(std::string_view text);

/// A room as its CMakeLists.txt describes it.
struct Room {
    std::string name;
    std::vector<std::string> sources;  ///< as written there, relative to the folder
    std::vector<std::string> depends;
};

/// The calls of kport_room in the text of a CMakeLists.txt.
[[nodiscard]] std::vector<Room> rooms_in(std::string_view cmake);

/// All words of a CMake text; comments left out.
[[nodiscard]] std::set<std::string> words_in(std::string_view cmake);

/// From a folder to its room; rooms know one another by name.
class Plan {
  public:
    void add(const std::string& folder, const Room& room);
    /// The name of the room of a file: that of the innermost folder with a room; empty if there is none.
    [[nodiscard]] std::string room_of(const std::string& file) const;
    /// Whether `from` may include `to`: they are the same, or arrows lead there.
    [[nodiscard]] bool may_include(const std::string& from, const std::string& to) const;
    /// One finding for each include of `text` that follows no arrow.
    [[nodiscard]] Findings wrong_arrows(const std::string& file, std::string_view text) const;

  private:
    std::map<std::string, std::string> room_by_folder_;
    std::map<std::string, std::vector<std::string>> depends_;
};

/// The lines with a literal in which an option of the command line is named.
[[nodiscard]] Findings options_named(const std::string& name, const std::string& text);

/// Lines of a page, of a source's comments, and outside tests/ of its literals, with a phrase that needs a second reading; and
/// comments that begin so that they do not stand alone.
[[nodiscard]] Findings quaint_words(const std::string& name, const std::string& text);

/// Functions named prefetch... that are not always in line. What only fetches has no effect in the eyes of g++, which leaves out
/// the calls of it that it has not put in line before.
[[nodiscard]] Findings fetching_out_of_line(const std::string& name, const std::string& text);

/// The types that a text defines at the level of a namespace, each with its namespaces: "kport::cli::Words".
[[nodiscard]] std::vector<std::string> types_in(std::string_view text);

/// The types that two of some texts define, by file: their programs would break the rule of one definition.
[[nodiscard]] Findings defined_twice(const std::map<std::string, std::string>& texts);

/// The files of the repository that a page or the comments of a source name and that are not among `paths`. A
/// name may leave out the folders before it. Names of examples, such as mine.cpp, are of no file.
[[nodiscard]] Findings files_not_there(const std::string& name, const std::string& text,
                                       const std::set<std::string>& paths);

/// The whole repository.
class Tree {
  public:
    explicit Tree(std::filesystem::path root);

    [[nodiscard]] Findings wrong_arrows() const;
    [[nodiscard]] Findings awaits_not_alone() const;
    /// Sources that no CMakeLists.txt names, headers that no file includes.
    [[nodiscard]] Findings unreachable() const;
    /// Where the messages of the emulator, and of what algorithms share, name options of the command line.
    [[nodiscard]] Findings speaking_in_options() const;
    /// Types of one name in headers of the rooms, which a program links together.
    [[nodiscard]] Findings types_defined_twice() const;
    /// Phrases that readers stumble on, except in the changelog.
    [[nodiscard]] Findings quaint_words() const;
    [[nodiscard]] Findings fetching_out_of_line() const;
    /// Headers without `#pragma once`.
    [[nodiscard]] Findings unguarded() const;
    /// Rows of a list for lines that the file does not have: a list as tests/mutation/equivalent_mutants.txt, "file @
    /// line @ change @ why", or as tests/mutation/engine_faults.txt, in which the reason may be left out. "#2 " before
    /// a line means the second of its kind.
    [[nodiscard]] Findings lost_mutants(const std::string& list, bool with_reasons) const;
    /// Public headers (what kport.hpp includes, directly or through others) whose names are hidden in a shared library, and
    /// other headers whose names are visible.
    [[nodiscard]] Findings wrongly_visible() const;
    /// Where pages and comments name files that do not exist.
    [[nodiscard]] Findings files_not_there() const;
    /// Number of source files that were read: a tree of none would keep every rule.
    [[nodiscard]] std::size_t files() const { return files_.size(); }

  private:
    /// `has_rooms`: its sources keep the rules of the house, too.
    void add_folder(const std::filesystem::path& root, const std::string& top, bool has_rooms);

    std::map<std::string, std::string> files_;  ///< path from the root -> text, for .cpp and .hpp
    std::map<std::string, std::string> lists_;  ///< the same for CMakeLists.txt
    std::map<std::string, std::string> pages_;  ///< the same for .md
    std::set<std::string> paths_;               ///< of all files, each also without its first folders
    Plan plan_;
};

}  // namespace kport::tidy
