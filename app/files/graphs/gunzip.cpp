#include "app/files/graphs/gunzip.hpp"

#include <new>

#include <fmt/format.h>
#include <zlib.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

struct Gunzip::Inflater {
    z_stream stream{};
};

bool begins_gzip(std::istream& in) {
    constexpr int first = 0x1F;
    constexpr int second = 0x8B;
    if (in.peek() != first) return false;
    (void)in.get();
    const bool is_gzip = in.peek() == second;
    in.unget();
    return is_gzip;
}

Gunzip::Gunzip(std::istream& in, std::string name)
    : in_(in), name_(std::move(name)), inflater_(std::make_unique<Inflater>()) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    constexpr int gzip_window = 16 + MAX_WBITS;
    input_.resize(piece);
    output_.resize(piece);
    if (inflateInit2(&inflater_->stream, gzip_window) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&inflater_->stream); }

void Gunzip::refuse(const char* why) const {
    throw RequestError(fmt::format("graph {}: gzip: {}", quoted(name_), why));
}

bool Gunzip::refill() {
    z_stream& stream = inflater_->stream;
    if (stream.avail_in > 0) return true;
    in_.read(input_.data(), static_cast<std::streamsize>(input_.size()));
    if (in_.bad()) refuse("it cannot be read to its end");
    stream.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream.avail_in = static_cast<uInt>(in_.gcount());
    return stream.avail_in > 0;
}

Gunzip::int_type Gunzip::underflow() {
    z_stream& stream = inflater_->stream;
    stream.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream.avail_out = static_cast<uInt>(output_.size());
    while (stream.avail_out == output_.size()) {
        if (!refill()) {
            if (in_member_) refuse("the data end in the middle; want the whole file");
            return traits_type::eof();
        }
        in_member_ = true;
        const int status = inflate(&stream, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status != Z_OK && status != Z_STREAM_END) refuse("the data are damaged");
        if (status == Z_STREAM_END) {
            in_member_ = false;
            inflateReset(&stream);
        }
    }
    setg(output_.data(), output_.data(), output_.data() + (output_.size() - stream.avail_out));
    return traits_type::to_int_type(*gptr());
}

}  // namespace kport
