/// @file hand_ins.hpp   Hand-ins in a folder, and their files, which are read without trust.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/grade/exercise.hpp"

namespace kport::grade {

/// What one person hands in: a file, or a folder with a schedule for each machine.
struct HandIn {
    std::string name;  ///< of the file or folder, in one line
    std::filesystem::path path;

    /// By its ending: a kind that the exercise takes, else another. A folder holds texts. Nothing for other files.
    [[nodiscard]] std::optional<Kind> kind(const Exercise& exercise) const;
};

/// What one file holds, or why it was not read.
struct FileText {
    std::string text;
    std::string refusal;  ///< empty: it was read
};

/// The hand-ins at a place: the entries of a folder by name, without those whose name begins with a dot, or a file alone. Throws
/// RequestError where there is none.
[[nodiscard]] std::vector<HandIn> hand_ins_at(const std::string& place);

/// Reads a regular file of at most so many bytes; never follows a link, and never waits for a pipe.
[[nodiscard]] FileText text_of_file(const std::filesystem::path& path, std::size_t bytes_most);

/// The text for a machine: the file itself, or that of a folder which is named after the machine, "mesh-4x4.txt" for mesh:4x4. The
/// refusal does not name a hidden machine.
[[nodiscard]] FileText text_for(const HandIn& hand_in, Kind kind, const ExerciseMachine& machine);

}  // namespace kport::grade
