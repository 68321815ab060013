/// @file files.hpp   Files for a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/own_folder.hpp"

namespace kport::test {

/// A folder with files that is gone at the end.
class Files {
  public:
    Files() = default;
    ~Files() { std::filesystem::remove_all(folder_); }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;

    std::string add(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }
    [[nodiscard]] std::string folder() const { return folder_.string(); }

  private:
    std::filesystem::path folder_ = own_folder();
};

}  // namespace kport::test
