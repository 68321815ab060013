/// @file picture.hpp   The kinds of pictures. A new kind is its file and its row in picture.cpp.
#pragma once

#include <cstddef>
#include <limits>
#include <ostream>
#include <span>
#include <string_view>

#include "app/pictures/story.hpp"

namespace kport {

struct PictureOptions {
    Round first = 1;  ///< the rounds that are shown; what happened before them is known
    Round last = std::numeric_limits<Round>::max();
    std::size_t width = 80;  ///< of a text, in columns
};

struct PictureKind {
    std::string_view name;       ///< "svg"
    std::string_view extension;  ///< ".svg"
    std::string_view about;      ///< one line
    void (*write)(std::ostream& out, const Story& story, const PictureOptions& options);
    std::size_t nodes_max = std::numeric_limits<std::size_t>::max();
    std::size_t transfers_max = std::numeric_limits<std::size_t>::max();  ///< of the rounds that are shown
    bool measures = false;                                                ///< it shows Story::phases, if there are any
};

[[nodiscard]] std::span<const PictureKind> picture_kinds();
/// Throws RequestError with the nearest valid name.
[[nodiscard]] const PictureKind& picture_kind_named(std::string_view word);

/// Draws the rounds that the options name. The caller checks the stream. The same story is drawn the same every time.
///
/// Errors   RequestError where there is too much for a picture of this kind; it says which would do.
void draw(std::ostream& out, const PictureKind& kind, const Story& story, const PictureOptions& options = {});

/// The steps that the options name.
[[nodiscard]] std::span<const Step> shown(std::span<const Step> steps, const PictureOptions& options);

// The writers of the kinds.
void write_text(std::ostream& out, const Story& story, const PictureOptions& options);
void write_panels(std::ostream& out, const Story& story, const PictureOptions& options);
void write_overview(std::ostream& out, const Story& story, const PictureOptions& options);
void write_space_time(std::ostream& out, const Story& story, const PictureOptions& options);
void write_dot(std::ostream& out, const Story& story, const PictureOptions& options);
void write_trace(std::ostream& out, const Story& story, const PictureOptions& options);
void write_json(std::ostream& out, const Story& story, const PictureOptions& options);
void write_player(std::ostream& out, const Story& story, const PictureOptions& options);

}  // namespace kport
