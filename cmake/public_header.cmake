# cmake -DFROM=... -DTO=... -P public_header.cmake: the header as others use it; the project's includes begin with kport/, without app/ or bindings/, its names are
# visible, and KPORT_BUILD is the string BUILD. Visible by a pragma: clang ignores a namespace's attribute where a definition stands in
# a namespace that was opened again.
file(READ ${FROM} text)
string(REGEX REPLACE "(\n#include \")((app|bindings)/)?" "\\1kport/" text "${text}")
if(text MATCHES "\nnamespace KPORT_PUBLIC kport {")
  string(REPLACE "\nnamespace KPORT_PUBLIC kport {" "\n#pragma GCC visibility push(default)\nnamespace kport {" text "${text}")
  string(APPEND text "#pragma GCC visibility pop\n")
endif()
string(REPLACE "KPORT_BUILD" "\"${BUILD}\"" text "${text}")
file(WRITE ${TO} "${text}")
