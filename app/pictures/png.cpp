#include "app/pictures/png.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"

#ifdef KPORT_HAS_RSVG
#include <dlfcn.h>

#include <librsvg/rsvg.h>
#endif

namespace kport {

#ifdef KPORT_HAS_RSVG

namespace {

constexpr double png_pixels_most = 64.0 * 1024 * 1024;

/// The functions of librsvg, cairo and GObject that are called. The libraries are loaded by name, since programs that draw no PNG would
/// start some milliseconds later with them.
struct Libraries {
    void* rsvg = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);

    /// Returns a function of librsvg or of a library that it needs.
    template <class Function>
    [[nodiscard]] Function* function(const char* name) const {
        void* const address = dlsym(rsvg, name);
        if (address == nullptr) throw RequestError(fmt::format("PNG: this librsvg has no function {}", name));
        return reinterpret_cast<Function*>(address);
    }
};

const Libraries& libraries() {
    static const Libraries all;
    return all;
}

#define KPORT_FUNCTION(name) libraries().function<decltype(::name)>(#name)

struct SurfaceEnd {
    void operator()(cairo_surface_t* surface) const { KPORT_FUNCTION(cairo_surface_destroy)(surface); }
};
struct ContextEnd {
    void operator()(cairo_t* context) const { KPORT_FUNCTION(cairo_destroy)(context); }
};
struct HandleEnd {
    void operator()(RsvgHandle* handle) const { KPORT_FUNCTION(g_object_unref)(handle); }
};

[[noreturn]] void fail(GError* error) {
    const std::string why = error == nullptr ? "for no reason given" : error->message;
    if (error != nullptr) KPORT_FUNCTION(g_error_free)(error);
    throw RequestError(fmt::format("PNG: librsvg cannot draw the picture: {}", why));
}

/// Throws RequestError where a picture of this shape is too large in so many pixels.
void require_size(double width, double shape) {
    if (width * width * shape <= png_pixels_most) return;
    const double most = std::floor(std::sqrt(png_pixels_most / shape));
    throw RequestError(fmt::format("PNG: {} x {} pixels are too many; want at most --width {}", grouped(width),
                                   grouped(std::round(width * shape)), number(most)));
}

cairo_status_t append_bytes(void* to, const unsigned char* bytes, unsigned int count) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

void require_png() {
    if (libraries().rsvg == nullptr)
        throw RequestError("PNG needs librsvg: sudo apt-get install librsvg2-2; or write .svg");
}

std::string png_of(std::string_view svg, std::uint64_t width) {
    require_png();
    GError* error = nullptr;
    const std::unique_ptr<RsvgHandle, HandleEnd> handle(
        KPORT_FUNCTION(rsvg_handle_new_from_data)(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
    if (handle == nullptr) fail(error);
    double svg_width = 0;
    double svg_height = 0;
    if (KPORT_FUNCTION(rsvg_handle_get_intrinsic_size_in_pixels)(handle.get(), &svg_width, &svg_height) == 0 ||
        svg_width < 1 || svg_height < 1)
        throw RequestError("PNG: the picture has no size");
    const double shape = svg_height / svg_width;
    const double of_default =
        std::min({2 * svg_width, static_cast<double>(png_width_most), std::floor(std::sqrt(png_pixels_most / shape))});
    const double across = width != 0 ? static_cast<double>(width) : std::max(of_default, 1.0);
    require_size(across, shape);
    const double down = std::max(1.0, std::round(across * shape));
    constexpr double side_most = 32767;  // of cairo
    if (down > side_most)
        throw RequestError(fmt::format("PNG: a height of {} pixels is too much; want at most --width {}", grouped(down),
                                       number(std::floor(side_most / shape))));
    const std::unique_ptr<cairo_surface_t, SurfaceEnd> surface(KPORT_FUNCTION(cairo_image_surface_create)(
        CAIRO_FORMAT_ARGB32, static_cast<int>(across), static_cast<int>(down)));
    if (KPORT_FUNCTION(cairo_surface_status)(surface.get()) != CAIRO_STATUS_SUCCESS) throw std::bad_alloc();
    const std::unique_ptr<cairo_t, ContextEnd> context(KPORT_FUNCTION(cairo_create)(surface.get()));
    const RsvgRectangle whole{0, 0, across, down};
    if (KPORT_FUNCTION(rsvg_handle_render_document)(handle.get(), context.get(), &whole, &error) == 0) fail(error);
    std::string png;
    if (KPORT_FUNCTION(cairo_surface_write_to_png_stream)(surface.get(), append_bytes, &png) != CAIRO_STATUS_SUCCESS)
        throw std::bad_alloc();
    return png;
}

#undef KPORT_FUNCTION

#else

void require_png() {
    throw RequestError(
        "this kport was built without librsvg, which draws PNG: sudo apt-get install librsvg2-dev, and "
        "build again; or write .svg");
}

std::string png_of(std::string_view, std::uint64_t) {
    require_png();
    return {};
}

#endif

}  // namespace kport
