/// @file node.hpp   What a node program is written with.
#pragma once

#include "emulator/node/awaitables.hpp"
#include "emulator/node/virtual_node.hpp"
