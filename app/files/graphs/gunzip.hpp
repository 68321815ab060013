/// @file gunzip.hpp   Decompresses gzip while it is read.
#pragma once

#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <vector>

namespace kport {

/// Whether the stream begins as gzip does; nothing is consumed.
[[nodiscard]] bool begins_gzip(std::istream& in);

/// The decompressed bytes of a stream of gzip members (RFC 1952), one after the other.
/// Memory   two buffers of 64 KiB and zlib's window, whatever the size of the data.
/// Errors   RequestError for damaged or truncated data; a std::istream over this buffer must have badbit among its exceptions(),
///          else it hides the error.
class Gunzip final : public std::streambuf {
  public:
    /// `name` stands in messages. The stream must outlive it.
    Gunzip(std::istream& in, std::string name);
    ~Gunzip() override;

  private:
    struct Inflater;

    int_type underflow() override;
    [[noreturn]] void refuse(const char* why) const;
    /// Reads on into input_; false at the end of the stream.
    bool refill();

    std::istream& in_;
    std::string name_;
    std::unique_ptr<Inflater> inflater_;
    std::vector<char> input_;
    std::vector<char> output_;
    bool in_member_ = false;  ///< a member has begun and not ended
};

}  // namespace kport
