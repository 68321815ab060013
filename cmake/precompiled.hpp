/// @file precompiled.hpp   What most files include through the headers of other rooms; ./dev alone reads it once.
#pragma once

#include <chrono>
#include <coroutine>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <boost/container/small_vector.hpp>
