# cmake -DFROM=... -DTO=... -P public_header.cmake: the header as others use it; the project's includes begin with kport/, its names are visible,
# and KPORT_BUILD is the string BUILD.
file(READ ${FROM} text)
string(REGEX REPLACE "(\n#include \")" "\\1kport/" text "${text}")
string(REPLACE "namespace KPORT_PUBLIC kport" "namespace [[gnu::visibility(\"default\")]] kport" text "${text}")
string(REPLACE "KPORT_BUILD" "\"${BUILD}\"" text "${text}")
file(WRITE ${TO} "${text}")
