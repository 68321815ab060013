/// @file system.cpp   What CaDiCaL asks the system, which a page has not: files, its own size, a seed by chance. Time is that of the clock.
#include <cstdio>
#include <ctime>

#include "internal.hpp"

namespace CaDiCaL {

double absolute_real_time() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double absolute_process_time() { return absolute_real_time(); }
std::uint64_t maximum_resident_set_size() { return 0; }
std::uint64_t current_resident_set_size() { return 0; }

double Internal::real_time() { return absolute_real_time() - stats.time.real; }
double Internal::process_time() { return absolute_process_time() - stats.time.process; }

Random::Random() : state(1) {}

File* File::read(Internal*, const char*) { return nullptr; }
File* File::read(Internal*, FILE*, const char*) { return nullptr; }
File* File::write(Internal*, const char*) { return nullptr; }
File* File::write(Internal*, FILE*, const char*) { return nullptr; }
bool File::exists(const char*) { return false; }
bool File::writable(const char*) { return false; }
void File::close() {}
void File::flush() {}
File::~File() {}

}  // namespace CaDiCaL
