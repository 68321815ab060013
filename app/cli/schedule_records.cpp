#include "app/cli/reported.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport::cli {

namespace {

struct Record {
    Round round;
    std::uint32_t from;  ///< or the first round of a silence
    std::uint32_t to;    ///< or the last round of a silence
    std::uint32_t ports;
    std::uint32_t blocks;

    [[nodiscard]] std::uint64_t bytes() const {
        return sizeof(Record) + sizeof(Port) * std::uint64_t{ports} + sizeof(PacketBlock) * std::uint64_t{blocks};
    }
};
static_assert(sizeof(Record) == 20 && sizeof(PacketBlock) == 24 && std::is_trivially_copyable_v<PacketBlock>);

template <class Number>
void append(std::string& bytes, std::span<const Number> numbers) {
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

template <class Number>
void take(std::vector<Number>& numbers, std::size_t count, const char* from) {
    numbers.resize(count);
    if (count != 0) std::memcpy(numbers.data(), from, count * sizeof(Number));
}

void append(std::string& bytes, const Record& record) { append(bytes, std::span<const Record>(&record, 1)); }

void append(std::string& bytes, Round round, const Transfer& transfer) {
    append(bytes,
           {round, static_cast<std::uint32_t>(transfer.from), static_cast<std::uint32_t>(transfer.to),
            static_cast<std::uint32_t>(transfer.route.size()), static_cast<std::uint32_t>(transfer.packets.size())});
    append(bytes, transfer.route);
    append(bytes, transfer.packets);
}

void add_silence(const Record& record, Schedule& schedule) {
    if (record.from == 0 || record.to < record.from || record.ports != 0 || record.blocks != 0)
        throw RequestError(fmt::format("transfers[{}]: round 0; rounds count from 1", schedule.size()));
    schedule.add_silent(record.from, std::uint64_t{record.to} - record.from + 1);
}

}  // namespace

void write_records(const Schedule& schedule, const std::function<void(std::string_view)>& write) {
    constexpr std::size_t piece = 1 << 15;
    std::string bytes;
    const auto pass_on = [&](std::size_t least) {
        if (bytes.size() < least) return;
        write(bytes);
        bytes.clear();
    };
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        append(bytes, schedule.round(i), schedule.transfer(i));
        pass_on(piece);
    }
    for (const Silence& silence : schedule.silences()) {
        append(bytes, {0, silence.first, static_cast<Round>(silence.first + silence.count - 1), 0, 0});
        pass_on(piece);
    }
    pass_on(1);
}

std::size_t add_records(std::string_view bytes, Schedule& schedule) {
    std::vector<Port> route;
    std::vector<PacketBlock> packets;
    Record record;
    std::size_t at = 0;
    for (; bytes.size() - at >= sizeof record; at += record.bytes()) {
        std::memcpy(&record, bytes.data() + at, sizeof record);
        if (bytes.size() - at < record.bytes()) break;
        if (record.round == 0) {
            add_silence(record, schedule);
            continue;
        }
        const char* const ports = bytes.data() + at + sizeof record;
        take(route, record.ports, ports);
        take(packets, record.blocks, ports + record.ports * sizeof(Port));
        schedule.add(record.round, {record.from, record.to, route, packets});
    }
    return at;
}

}  // namespace kport::cli
