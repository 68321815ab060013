/// @file picture.hpp   The kinds of pictures. A new kind is its file and its row in picture.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string_view>

#include "app/pictures/story.hpp"

namespace kport {

struct PictureOptions {
    Round first = 1;  ///< first of the rounds shown; earlier ones determine the initial state
    Round last = std::numeric_limits<Round>::max();
    std::size_t width = 80;  ///< of a text, in columns
    /// Height by width, which the rows of panels come near to: of a sheet of paper, upright.
    double shape = paper;
    static constexpr double paper = 1.414;
    static constexpr double slide = 9.0 / 16;
    bool png = false;          ///< an SVG becomes a PNG
    bool webp = false;         ///< an animation becomes a WebP
    std::uint64_t pixels = 0;  ///< width of a PNG or WebP; 0: twice that of the SVG
};

struct PictureKind {
    std::string_view name;       ///< "svg"
    std::string_view extension;  ///< ".svg"
    std::string_view about;      ///< one line
    void (*write)(std::ostream& out, const Story& story, const PictureOptions& options);
    std::size_t nodes_max = std::numeric_limits<std::size_t>::max();
    std::size_t transfers_max = std::numeric_limits<std::size_t>::max();  ///< in the rounds shown
    bool measures = false;                                                ///< shows Story::phases, if there are any
    bool argues = false;                                                  ///< shows Story::arguments
    bool png = false;                                                     ///< what is written becomes a PNG
    bool webp = false;                                                    ///< what is written becomes a WebP
};

/// Of an animation: how long a round is shown.
inline constexpr double frame_seconds = 1.5;

[[nodiscard]] std::span<const PictureKind> picture_kinds();
/// Returns the kind of that name. Throws RequestError with the nearest valid name.
[[nodiscard]] const PictureKind& picture_kind_named(std::string_view word);

/// Draws the rounds that the options name. The caller checks the stream. Deterministic.
///
/// Errors   RequestError if there is too much for a picture of this kind; names a kind that would work.
void draw(std::ostream& out, const PictureKind& kind, const Story& story, const PictureOptions& options = {});

/// Returns the steps that the options name.
[[nodiscard]] std::span<const Step> shown(std::span<const Step> steps, const PictureOptions& options);

// Writers of the kinds.
void write_text(std::ostream& out, const Story& story, const PictureOptions& options);
void write_panels(std::ostream& out, const Story& story, const PictureOptions& options);
void write_animation(std::ostream& out, const Story& story, const PictureOptions& options);
void write_overview(std::ostream& out, const Story& story, const PictureOptions& options);
void write_space_time(std::ostream& out, const Story& story, const PictureOptions& options);
void write_load(std::ostream& out, const Story& story, const PictureOptions& options);
void write_holdings(std::ostream& out, const Story& story, const PictureOptions& options);
void write_bounds(std::ostream& out, const Story& story, const PictureOptions& options);
void write_critical_path(std::ostream& out, const Story& story, const PictureOptions& options);
void write_dot(std::ostream& out, const Story& story, const PictureOptions& options);
void write_trace(std::ostream& out, const Story& story, const PictureOptions& options);
void write_json(std::ostream& out, const Story& story, const PictureOptions& options);
void write_player(std::ostream& out, const Story& story, const PictureOptions& options);

}  // namespace kport
