/// @file page.hpp   The files of the page, which CMake puts into the program.
#pragma once

#include <string_view>

namespace kport::lab {

extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace kport::lab
