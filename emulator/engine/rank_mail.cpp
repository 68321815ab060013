#include "emulator/engine/rank_mail.hpp"

#include <algorithm>
#include <utility>

namespace kport {

namespace {

/// Begins a body in a letter.
struct BodyHead {
    std::uint64_t blocks;
    std::uint64_t twice;  ///< blocks of Body::twice
    std::uint64_t bytes;
    Seal seal;
};

}  // namespace

void RoundNews::add(RoundNews other) {
    if (other.round > round) {
        round = other.round;
        silent = std::move(other.silent);
    }
    resumes |= other.resumes;
    busy |= other.busy;
    stop |= other.stop;
    contends |= other.contends;
    sends_unheld |= other.sends_unheld;
    lets_round_pass |= other.lets_round_pass;
    goes_on |= other.goes_on;
    alarm = std::min(alarm, other.alarm);
    sent += other.sent;
    touched |= other.touched;
    next |= other.next;
    if (other.failed < failed) {
        failed = other.failed;
        error = std::move(other.error);
    }
    past.add(std::move(other.past));
}

RoundNews RankMail::exchange(const std::vector<Partition*>& senders, RoundNews news, bool to_all,
                             Partition::Partitions& partitions) {
    if (ranks_.alone()) return news;
    letters_.resize(ranks_.size());
    for (Letter& letter : letters_) {
        letter.clear();
        LetterWriter writer(letter);
        writer(news);
    }
    for (const Partition* sender : senders)
        for (const unsigned to : sender->touched()) {
            const unsigned owner = ranks_.owner(to);
            if (owner != ranks_.rank()) remote_ += sender->posted_to(to);
            for (unsigned r = 0; r < ranks_.size(); ++r)
                if (r != ranks_.rank() && (to_all || r == owner)) write(letters_[r], *sender, to, r == owner);
        }
    ranks_.exchange(letters_);
    is_here_ = true;
    RoundNews all;
    for (unsigned r = 0; r < ranks_.size(); ++r) {
        if (r == ranks_.rank()) {
            all.add(news);
            continue;
        }
        LetterReader reader(letters_[r]);
        RoundNews theirs;
        reader(theirs);
        all.add(std::move(theirs));
        while (!reader.at_end()) read(reader, partitions);
    }
    std::ranges::stable_sort(batches_, {}, &Batch::from);
    return all;
}

void RankMail::write(Letter& letter, const Partition& sender, unsigned to, bool with_bytes) const {
    LetterWriter writer(letter);
    const BatchHead head{sender.index(), to, sender.posted_to(to)};
    writer.put_in_place(std::span(&head, 1));
    sender.for_each_batch_to(to, [&](std::span<const Message> batch) { writer.put_in_place(batch); });
    const auto for_each_message = [&](const auto& visit) {
        sender.for_each_batch_to(to, [&](std::span<const Message> batch) {
            for (const Message& message : batch) visit(message);
        });
    };
    if (world_.wormhole) for_each_message([&](const Message& message) { writer.put_all(sender.route(message)); });
    if (world_.bundles)
        for_each_message([&](const Message& message) { write_content(writer, message, with_bytes); });
    else if (world_.memory.holds_bytes() && with_bytes)
        write_packets(writer, sender, to);
}

void RankMail::write_packets(LetterWriter& writer, const Partition& sender, unsigned to) const {
    const std::uint64_t bytes = world_.job.collective.packet_bytes;
    std::span<std::byte> room = writer.room_for(sender.posted_to(to) * bytes);
    sender.for_each_batch_to(to, [&](std::span<const Message> batch) {
        for (const Message& message : batch) {
            std::copy_n(world_.memory.at(message.from), bytes, room.begin());
            room = room.subspan(bytes);
        }
    });
}

void RankMail::write_content(LetterWriter& writer, const Message& message, bool with_bytes) const {
    if (message.has_packet()) {
        if (with_bytes && world_.store)
            writer.put_bytes(world_.store->bytes(message.from, static_cast<std::uint32_t>(message.packet().id())));
        return;
    }
    if (message.has_element()) {
        Element element = message.element();
        element.seal -= world_.seal_of_run();
        writer.put_in_place(std::span<const Element>(&element, 1));
        return;
    }
    const Body& body = *message.body();
    const std::span<const std::byte> content = with_bytes ? body.content() : std::span<const std::byte>();
    const bool has_twice = world_.folder && body.twice != nullptr;
    const std::span<const PacketBlock> twice = has_twice ? body.twice->blocks() : std::span<const PacketBlock>();
    const BodyHead head{body.blocks().size(), twice.size(), content.size(),
                        world_.seals ? body.seal - world_.seal_of_run() : 0};
    writer.put_in_place(std::span(&head, 1));
    writer.put_in_place(body.blocks());
    writer.put_in_place(twice);
    writer.put_bytes(content);
}

void RankMail::read(LetterReader& reader, Partition::Partitions& partitions) {
    const BatchHead head = reader.get_in_place<BatchHead>(1).front();
    const std::span<Message> messages = reader.get_in_place<Message>(head.messages);
    Batch& batch = batches_.emplace_back(Batch{head.from, head.to, messages, {}});
    if (world_.wormhole)
        for (Message& message : messages) read_route(reader, message);
    if (world_.bundles) {
        for (Message& message : messages)
            message.content = read_content(reader, message, ranks_.owns(head.to), partitions[head.to]->pool());
    } else if (world_.memory.holds_bytes() && ranks_.owns(head.to)) {
        batch.bytes = reader.get_bytes(messages.size() * world_.job.collective.packet_bytes);
    }
}

void RankMail::read_route(LetterReader& reader, Message& message) {
    const std::vector<Port> route = reader.get_all<Port>();
    message.out = static_cast<Port>(routes_.size());
    routes_.push_back(static_cast<Port>(route.size()));
    routes_.insert(routes_.end(), route.begin(), route.end());
}

std::uint64_t RankMail::read_content(LetterReader& reader, const Message& message, bool with_bytes, FramePool& pool) {
    if (message.has_packet()) {
        if (!world_.store) return message.content;
        const PacketBlock block = world_.packets.block(message.packet().id());
        const std::uint64_t bytes = with_bytes ? world_.job.collective.packet_bytes : 0;
        Body* body = Body::make({&block, 1}, bytes, pool);
        std::ranges::copy(reader.get_bytes(bytes), body->bytes());
        return reinterpret_cast<std::uint64_t>(body);
    }
    if (message.has_element()) {
        Element& element = reader.get_in_place<Element>(1).front();
        element.seal += world_.seal_of_run();
        return reinterpret_cast<std::uint64_t>(&element) + 1;
    }
    const BodyHead head = reader.get_in_place<BodyHead>(1).front();
    const std::span<const PacketBlock> blocks = reader.get_in_place<PacketBlock>(head.blocks);
    PacketSet twice;
    twice.add(reader.get_in_place<PacketBlock>(head.twice));
    Body* body = Body::make(blocks, head.bytes, pool);
    body->set_twice(std::move(twice), pool);
    std::ranges::copy(reader.get_bytes(head.bytes), body->bytes());
    if (world_.seals) body->seal = head.seal + world_.seal_of_run();
    return reinterpret_cast<std::uint64_t>(body);
}

void RankMail::discard(Partition::Partitions& partitions, bool all) {
    for (const Batch& batch : batches_)
        if (all || !ranks_.owns(batch.to))
            for (const Message& message : batch.messages) partitions[batch.to]->discard(message);
}

void RankMail::clear() {
    batches_.clear();
    routes_.clear();
}

}  // namespace kport
