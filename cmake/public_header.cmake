# cmake -DFROM=... -DTO=... -P public_header.cmake: the header as others use it; the project's includes begin with kport/.
file(READ ${FROM} text)
string(REGEX REPLACE "(\n#include \")" "\\1kport/" text "${text}")
file(WRITE ${TO} "${text}")
