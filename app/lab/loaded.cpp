#include <dlfcn.h>

#include <string>

#include <fmt/format.h>

#include "app/lab/server.hpp"
#include "emulator/base/error.hpp"

namespace kport::lab {

void serve_by_plug_in(const ServerOptions& options) {
    namespace fs = std::filesystem;
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    const fs::path places[] = {here, (here / ".." / KPORT_LIBRARIES).lexically_normal()};  // as built, as installed
    std::string why;
    for (const fs::path& place : places) {
        if (!fs::exists(place / "libkport-lab.so")) continue;
        void* const plug_in = dlopen((place / "libkport-lab.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (plug_in == nullptr) {
            why = fmt::format(": {}", dlerror());
            continue;
        }
        using Serve = void (*)(const ServerOptions*);
        return reinterpret_cast<Serve>(dlsym(plug_in, "kport_lab_serve"))(&options);
    }
    if (why.empty()) why = fmt::format(", neither in {} nor in {}", places[0].string(), places[1].string());
    throw RequestError(
        fmt::format("kport lab finds no libkport-lab.so{}; build or install it beside the program", why));
}

}  // namespace kport::lab
