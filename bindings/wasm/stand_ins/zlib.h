/// The calls of zlib that kport makes. The page has no zlib: it refuses what is packed.
#pragma once

typedef unsigned char Bytef;
typedef unsigned uInt;
struct z_stream {
    Bytef* next_in;
    unsigned avail_in;
    Bytef* next_out;
    unsigned avail_out;
    const char* msg;
};
#define Z_OK 0
#define Z_STREAM_END 1
#define Z_DATA_ERROR (-3)
#define Z_MEM_ERROR (-4)
#define Z_BUF_ERROR (-5)
#define Z_NO_FLUSH 0
#define MAX_WBITS 15

inline int inflateInit2(z_stream*, int) { return Z_OK; }
inline int inflateReset(z_stream*) { return Z_OK; }
inline int inflateEnd(z_stream*) { return Z_OK; }
inline int inflate(z_stream* stream, int) {
    stream->msg = const_cast<char*>("this page unpacks nothing (the program kport does)");
    return Z_DATA_ERROR;
}
