/// @file families.hpp   Every family of topologies as a test's parameter.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/topology/family.hpp"

namespace kport::test {

inline std::vector<std::string> names_of_families() {
    std::vector<std::string> names;
    for (const TopologyFamily& family : topology_families()) names.emplace_back(family.name);
    return names;
}

/// GoogleTest wants letters and digits.
inline std::string family_as_test_name(const testing::TestParamInfo<std::string>& instance) {
    std::string name = instance.param;
    std::erase(name, '-');
    return name;
}

}  // namespace kport::test
