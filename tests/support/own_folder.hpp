/// @file own_folder.hpp   A folder that no other test uses: tests run side by side.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace kport::test {

/// The caller removes it.
inline std::filesystem::path own_folder() {
    std::string name = testing::TempDir() + "kport-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder like " + name);
    return name;
}

}  // namespace kport::test
