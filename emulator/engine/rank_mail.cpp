#include "emulator/engine/rank_mail.hpp"

#include <algorithm>
#include <utility>

namespace kport {

namespace {

/// Ranks tell of the same rounds, but for those that one of them has run alone since.
void add_past(std::vector<PastRound>& all, std::vector<PastRound> other) {
    if (all.size() < other.size()) all.swap(other);
    for (std::size_t i = 0; i < other.size(); ++i) all[i].part.add(other[i].part);
}

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
    if (other.failed < failed) {
        failed = other.failed;
        error = std::move(other.error);
    }
    add_past(past, std::move(other.past));
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
            const std::vector<Message> messages = sender->posted_to(to);
            if (owner != ranks_.rank()) remote_ += messages.size();
            for (unsigned r = 0; r < ranks_.size(); ++r)
                if (r != ranks_.rank() && (to_all || r == owner)) write(letters_[r], *sender, to, messages, r == owner);
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
    return all;
}

void RankMail::write(Letter& letter, const Partition& sender, unsigned to, const std::vector<Message>& messages,
                     bool with_bytes) const {
    LetterWriter writer(letter);
    writer.put(sender.index());
    writer.put(to);
    writer.put(static_cast<std::uint64_t>(messages.size()));
    for (const Message& message : messages) {
        writer.put(message);
        if (world_.wormhole) writer.put_all(sender.route(message));
        write_content(writer, message, with_bytes);
    }
}

void RankMail::write_content(LetterWriter& writer, const Message& message, bool with_bytes) const {
    if (!world_.bundles) {
        if (world_.memory.holds_bytes() && with_bytes)
            writer.put_bytes({world_.memory.at(message.from), world_.job.collective.packet_bytes});
        return;
    }
    if (message.has_element()) {
        Element element = message.element();
        element.seal -= world_.seal_of_run();
        writer.put(element);
        return;
    }
    const Body& body = *message.body();
    const std::span<const std::byte> content = with_bytes ? body.content() : std::span<const std::byte>();
    writer.put_all(body.blocks());
    writer.put_all(content);
    if (world_.seals) writer.put(static_cast<Seal>(body.seal - world_.seal_of_run()));
}

void RankMail::read(LetterReader& reader, Partition::Partitions& partitions) {
    const auto from = reader.get<unsigned>();
    const auto to = reader.get<unsigned>();
    const auto count = reader.get<std::uint64_t>();
    Batch& batch = batches_.emplace_back(Batch{from, to, {}});
    batch.messages.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        auto message = reader.get<Message>();
        if (world_.wormhole) {
            const std::vector<Port> route = reader.get_all<Port>();
            message.out = static_cast<Port>(routes_.size());
            routes_.push_back(static_cast<Port>(route.size()));
            routes_.insert(routes_.end(), route.begin(), route.end());
        }
        message.content = read_content(reader, message, partitions[to]->pool());
        batch.messages.push_back(message);
    }
}

std::uint64_t RankMail::read_content(LetterReader& reader, const Message& message, FramePool& pool) {
    if (!world_.bundles) {
        const std::uint64_t bytes = world_.job.collective.packet_bytes;
        if (world_.memory.holds_bytes() && ranks_.owns(world_.deal.home(message.to)))
            world_.sent_bytes.put(message.from, message.to, reader.get_bytes(bytes));
        return message.content;
    }
    if (message.has_element()) {
        auto element = reader.get<Element>();
        element.seal += world_.seal_of_run();
        return reinterpret_cast<std::uint64_t>(&elements_.add(element)) + 1;
    }
    const std::vector<PacketBlock> blocks = reader.get_all<PacketBlock>();
    const std::vector<std::byte> content = reader.get_all<std::byte>();
    Body* body = Body::make(blocks, content.size(), pool);
    std::ranges::copy(content, body->bytes());
    if (world_.seals) body->seal = reader.get<Seal>() + world_.seal_of_run();
    return reinterpret_cast<std::uint64_t>(body);
}

void RankMail::discard(Partition::Partitions& partitions, bool all) {
    for (const Batch& batch : batches_)
        if (all || !ranks_.owns(batch.to))
            for (const Message& message : batch.messages) partitions[batch.to]->discard(message);
}

void RankMail::clear() {
    batches_.clear();
    elements_.restart();
    routes_.clear();
}

}  // namespace kport
