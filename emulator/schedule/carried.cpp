#include "emulator/schedule/carried.hpp"

namespace kport {

Collective carried_in(const Collective& collective) {
    if (collective.groups == nullptr) return collective;
    Collective contents = Collective::none();
    if (collective.packet_bytes == 0) contents.packet_bytes = 0;  // signals, which count as contents of one byte
    return contents;
}

}  // namespace kport
