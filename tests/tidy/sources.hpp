/// @file sources.hpp   The sources of the project as texts.
#pragma once

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>

namespace kport::tidy {

/// The files of some folders at the root, by path from there; without templates, which include the installed library, and without
/// what stands in for headers of others.
inline std::map<std::string, std::string> sources_of(std::initializer_list<const char*> folders) {
    std::map<std::string, std::string> texts;
    const std::filesystem::path root = KPORT_SOURCE_DIR;
    for (const char* folder : folders)
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            const std::filesystem::path& path = entry.path();
            if ((path.extension() != ".cpp" && path.extension() != ".hpp") ||
                path.parent_path().filename() == "templates" ||
                path.generic_string().find("/stand_ins/") != std::string::npos)
                continue;
            std::ifstream in(path, std::ios::binary);
            texts[path.lexically_relative(root).generic_string()] = {std::istreambuf_iterator<char>(in), {}};
        }
    return texts;
}

}  // namespace kport::tidy
