#include "app/pictures/pixels.hpp"

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
#ifdef KPORT_HAS_WEBP
#include <webp/encode.h>
#include <webp/mux.h>
#endif

namespace kport {

#ifdef KPORT_HAS_RSVG

namespace {

constexpr double pixels_most = 64.0 * 1024 * 1024;

/// The functions of librsvg, cairo and GObject that are called. The libraries are loaded by name, since programs that draw no PNG would
/// start some milliseconds later with them.
struct Libraries {
    void* rsvg = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
#ifdef KPORT_HAS_WEBP
    void* webp = dlopen("libwebpmux.so.3", RTLD_NOW | RTLD_LOCAL);
#endif

    /// Returns a function of a library or of one that it needs.
    template <class Function>
    [[nodiscard]] static Function* function(void* library, const char* name) {
        void* const address = dlsym(library, name);
        if (address == nullptr)
            throw RequestError(fmt::format("the libraries that draw pixels have no function {}", name));
        return reinterpret_cast<Function*>(address);
    }
};

const Libraries& libraries() {
    static const Libraries all;
    return all;
}

#define KPORT_FUNCTION(name) Libraries::function<decltype(::name)>(libraries().rsvg, #name)

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
    throw RequestError(fmt::format("librsvg cannot draw the picture: {}", why));
}

/// An SVG that was read, and its size in pixels.
class Pixels {
  public:
    explicit Pixels(std::string_view svg, std::string_view format) : format_(format) {
        GError* error = nullptr;
        handle_.reset(
            KPORT_FUNCTION(rsvg_handle_new_from_data)(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
        if (handle_ == nullptr) fail(error);
        if (KPORT_FUNCTION(rsvg_handle_get_intrinsic_size_in_pixels)(handle_.get(), &svg_width_, &svg_height_) == 0 ||
            svg_width_ < 1 || svg_height_ < 1)
            throw RequestError(fmt::format("{}: the picture has no size", format_));
    }

    /// So wide; 0: twice as wide as the SVG, or less, so that it has at most `default_most` pixels. A side has at most `side_most`.
    void set_width(std::uint64_t width, double side_most, double default_most) {
        const double shape = svg_height_ / svg_width_;
        const double of_default = std::min({2 * svg_width_, static_cast<double>(pixels_width_most), side_most,
                                            std::floor(std::sqrt(default_most / shape))});
        across_ = width != 0 ? static_cast<double>(width) : std::max(of_default, 1.0);
        down_ = std::max(1.0, std::round(across_ * shape));
        if (across_ * across_ * shape > pixels_most)
            throw RequestError(fmt::format("{}: {} x {} pixels are too many; want at most --width {}", format_,
                                           grouped(across_), grouped(std::round(across_ * shape)),
                                           number(std::floor(std::sqrt(pixels_most / shape)))));
        if (std::max(across_, down_) > side_most)
            throw RequestError(fmt::format("{}: a {} of {} pixels is too much; want at most --width {}", format_,
                                           down_ > side_most ? "height" : "width", grouped(std::max(across_, down_)),
                                           number(std::floor(down_ > side_most ? side_most / shape : side_most))));
    }

    [[nodiscard]] int across() const { return static_cast<int>(across_); }
    [[nodiscard]] int down() const { return static_cast<int>(down_); }

    [[nodiscard]] bool has(const std::string& id) const {
        return KPORT_FUNCTION(rsvg_handle_has_sub)(handle_.get(), ("#" + id).c_str()) != 0;
    }
    /// Rules that come before those of the picture.
    void style(const std::string& css) {
        GError* error = nullptr;
        if (KPORT_FUNCTION(rsvg_handle_set_stylesheet)(handle_.get(), reinterpret_cast<const guint8*>(css.data()),
                                                       css.size(), &error) == 0)
            fail(error);
    }
    [[nodiscard]] std::unique_ptr<cairo_surface_t, SurfaceEnd> drawn() const {
        std::unique_ptr<cairo_surface_t, SurfaceEnd> surface(
            KPORT_FUNCTION(cairo_image_surface_create)(CAIRO_FORMAT_ARGB32, across(), down()));
        if (KPORT_FUNCTION(cairo_surface_status)(surface.get()) != CAIRO_STATUS_SUCCESS) throw std::bad_alloc();
        const std::unique_ptr<cairo_t, ContextEnd> context(KPORT_FUNCTION(cairo_create)(surface.get()));
        const RsvgRectangle whole{0, 0, across_, down_};
        GError* error = nullptr;
        if (KPORT_FUNCTION(rsvg_handle_render_document)(handle_.get(), context.get(), &whole, &error) == 0) fail(error);
        KPORT_FUNCTION(cairo_surface_flush)(surface.get());
        return surface;
    }

  private:
    std::unique_ptr<RsvgHandle, HandleEnd> handle_;
    std::string_view format_;  ///< for errors
    double svg_width_ = 0;
    double svg_height_ = 0;
    double across_ = 0;
    double down_ = 0;
};

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
    constexpr double side_most = 32767;  // of cairo
    Pixels pixels(svg, "PNG");
    pixels.set_width(width, side_most, pixels_most);
    const auto surface = pixels.drawn();
    std::string png;
    if (KPORT_FUNCTION(cairo_surface_write_to_png_stream)(surface.get(), append_bytes, &png) != CAIRO_STATUS_SUCCESS)
        throw std::bad_alloc();
    return png;
}

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

#ifdef KPORT_HAS_WEBP

#define KPORT_WEBP_FUNCTION(name) Libraries::function<decltype(::name)>(libraries().webp, #name)

namespace {

/// Puts one frame after the other.
class WebpWriter {
  public:
    WebpWriter(int across, int down) {
        encoder_.reset(KPORT_WEBP_FUNCTION(WebPAnimEncoderNewInternal)(across, down, nullptr, WEBP_MUX_ABI_VERSION));
        // Level 4 of 9: twice as fast as 6, for files that are a few hundredths larger.
        constexpr int level = 4;
        if (encoder_ == nullptr ||
            KPORT_WEBP_FUNCTION(WebPConfigInitInternal)(&config_, WEBP_PRESET_DRAWING, 75, WEBP_ENCODER_ABI_VERSION) ==
                0 ||
            KPORT_WEBP_FUNCTION(WebPConfigLosslessPreset)(&config_, level) == 0)
            throw std::bad_alloc();
    }
    void put(cairo_surface_t* surface, int begin_ms) {
        WebPPicture picture;
        if (KPORT_WEBP_FUNCTION(WebPPictureInitInternal)(&picture, WEBP_ENCODER_ABI_VERSION) == 0) fail_to_encode();
        picture.use_argb = 1;
        picture.width = KPORT_FUNCTION(cairo_image_surface_get_width)(surface);
        picture.height = KPORT_FUNCTION(cairo_image_surface_get_height)(surface);
        // The picture covers all of its paper: cairo's pixels, multiplied with their alpha, are the colours.
        const bool done =
            KPORT_WEBP_FUNCTION(WebPPictureImportBGRX)(&picture, KPORT_FUNCTION(cairo_image_surface_get_data)(surface),
                                                       KPORT_FUNCTION(cairo_image_surface_get_stride)(surface)) != 0 &&
            KPORT_WEBP_FUNCTION(WebPAnimEncoderAdd)(encoder_.get(), &picture, begin_ms, &config_) != 0;
        KPORT_WEBP_FUNCTION(WebPPictureFree)(&picture);
        if (!done) fail_to_encode();
    }
    [[nodiscard]] std::string all(int end_ms) {
        WebPData data{nullptr, 0};
        if (KPORT_WEBP_FUNCTION(WebPAnimEncoderAdd)(encoder_.get(), nullptr, end_ms, nullptr) == 0 ||
            KPORT_WEBP_FUNCTION(WebPAnimEncoderAssemble)(encoder_.get(), &data) == 0)
            fail_to_encode();
        std::string bytes(reinterpret_cast<const char*>(data.bytes), data.size);
        KPORT_WEBP_FUNCTION(WebPFree)(const_cast<std::uint8_t*>(data.bytes));
        return bytes;
    }

  private:
    struct End {
        void operator()(WebPAnimEncoder* encoder) const { KPORT_WEBP_FUNCTION(WebPAnimEncoderDelete)(encoder); }
    };
    [[noreturn]] void fail_to_encode() const {
        throw RequestError(fmt::format("WebP: libwebp cannot write the picture: {}",
                                       KPORT_WEBP_FUNCTION(WebPAnimEncoderGetError)(encoder_.get())));
    }

    std::unique_ptr<WebPAnimEncoder, End> encoder_;
    WebPConfig config_{};
};

}  // namespace

void require_webp() {
    require_png();
    if (libraries().webp == nullptr)
        throw RequestError("WebP needs libwebp: sudo apt-get install libwebpmux3; or write .svg");
}

std::string webp_of(std::string_view svg, std::uint64_t width, double seconds) {
    require_webp();
    Pixels pixels(svg, "WebP");
    int frames = 0;
    while (pixels.has(fmt::format("frame-{}", frames))) ++frames;
    constexpr double default_most = pixels_most;       // of all frames: some 20 seconds
    constexpr double all_most = 1024.0 * 1024 * 1024;  // some minutes
    pixels.set_width(width, WEBP_MAX_DIMENSION, default_most / std::max(1, frames));
    if (const double each = static_cast<double>(pixels.across()) * pixels.down(); each * frames > all_most)
        throw RequestError(fmt::format(
            "WebP: {} frames of {} x {} pixels are too many; want at most --width {}, or some rounds: --rounds 1-{}",
            grouped(frames), pixels.across(), pixels.down(),
            number(std::floor(pixels.across() * std::sqrt(all_most / each / frames))),
            number(std::max(1.0, std::floor(all_most / each) - 1))));
    const int frame_ms = static_cast<int>(std::lround(seconds * 1000));
    WebpWriter writer(pixels.across(), pixels.down());
    for (int i = 0; i < frames; ++i) {
        pixels.style(fmt::format(".frame{{visibility:hidden}}#frame-{}{{visibility:visible}}", i));
        writer.put(pixels.drawn().get(), i * frame_ms);
    }
    if (frames == 0) writer.put(pixels.drawn().get(), 0);
    return writer.all(std::max(1, frames) * frame_ms);
}

#undef KPORT_WEBP_FUNCTION

#else

void require_webp() {
    throw RequestError(
        "this kport was built without librsvg or libwebp, which draw WebP: sudo apt-get install librsvg2-dev "
        "libwebp-dev, and build again; or write .svg");
}

std::string webp_of(std::string_view, std::uint64_t, double) {
    require_webp();
    return {};
}

#endif

#ifdef KPORT_HAS_RSVG
#undef KPORT_FUNCTION
#endif

}  // namespace kport
