#pragma once
#include "serial.hpp"
