#include "app/measure/calibration_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/whole_file.hpp"

namespace kport::measure {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, std::string_view why) {
    throw RequestError(fmt::format("calibration file {}: {}", quoted(file.string()), why));
}

Json json_of(const Prices& prices) {
    Json json;
    const std::vector<Count>& counts = prices.model->counts;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        Json& price = json[std::string(info(counts[i]).price)];
        if (!prices.of[i]) {
            for (std::size_t k = 0; k < counts.size() && !prices.left_out[i]; ++k)
                if (prices.of[k]) price["made_of"][std::string(info(counts[k]).price)] = prices.made_of[i][k];
            continue;
        }
        const Estimate& estimate = *prices.of[i];
        price["value"] = estimate.value;
        if (!estimate.standard_error) continue;
        price["standard_error"] = *estimate.standard_error;
        price["low"] = estimate.low;
        price["high"] = estimate.high;
    }
    return json;
}

Json json_of(const Calibrated& entry) {
    Json json;
    json["operation"] = entry.key.operation;
    json["algorithm"] = entry.key.algorithm;
    json["engine"] = entry.key.engine;
    json["threads"] = entry.key.threads;
    json["date"] = entry.date;
    json["cells"] = entry.prices.cells;
    json["relative_miss"] = entry.prices.miss;
    if (entry.prices.left_out_miss) json["left_out_miss"] = *entry.prices.left_out_miss;
    json["model"] = entry.prices.model->name;
    json["caches"] = {{"core", entry.caches.core}, {"chip", entry.caches.chip}};
    json["ns"] = json_of(entry.prices);
    return json;
}

/// Rejects values that nlohmann::json would convert: true to 1, -1 to 4294967295.
double number(const Json& json) {
    constexpr double most = 1e100;  // no sum of prices overflows, see require_valid(Costs)
    if (!json.is_number() || std::abs(json.get<double>()) > most)
        throw RequestError(fmt::format("{} is not a number, or beyond {}", quoted(json.dump()), most));
    return json.get<double>();
}

template <class Count>
Count count(const Json& json, Count least) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() < least ||
        json.get<std::uint64_t>() > std::numeric_limits<Count>::max())
        throw RequestError(fmt::format("{} is no count from {} on", quoted(json.dump()), least));
    return json.get<Count>();
}

/// Throws exceptions of nlohmann::json for missing members or wrong types, RequestError for invalid values.
Calibrated calibrated_of(const Json& json) {
    Calibrated entry;
    entry.key = {json.at("operation"), json.at("algorithm"), json.at("engine"), count(json.at("threads"), 1U)};
    entry.date = json.at("date");
    entry.prices.cells = count(json.at("cells"), std::size_t{0});
    entry.prices.miss = number(json.at("relative_miss"));
    if (json.contains("left_out_miss")) entry.prices.left_out_miss = number(json.at("left_out_miss"));
    if (json.contains("caches"))
        entry.caches = {number(json.at("caches").at("core")), number(json.at("caches").at("chip"))};
    const std::string model = json.value("model", std::string(cost_models().front().name));
    entry.prices.model = cost_model_named(model);
    if (entry.prices.model == nullptr) throw RequestError(fmt::format("there is no model {}", quoted(model)));
    const std::vector<Count>& counts = entry.prices.model->counts;
    entry.prices.of.resize(counts.size());
    entry.prices.left_out.resize(counts.size());
    entry.prices.made_of.assign(counts.size(), std::vector<double>(counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const Json& price = json.at("ns").at(std::string(info(counts[i]).price));
        if (price.is_object() && price.contains("value")) {
            Estimate estimate{number(price.at("value")), {}, 0, 0};
            if (price.contains("standard_error"))
                estimate = {estimate.value, number(price.at("standard_error")), number(price.at("low")),
                            number(price.at("high"))};
            entry.prices.of[i] = estimate;
        } else if (price.is_null()) {
            entry.prices.left_out[i] = true;
        } else {
            const Json& made_of = price.at("made_of");
            for (std::size_t k = 0; k < counts.size(); ++k) {
                const std::string name(info(counts[k]).price);
                if (made_of.contains(name)) entry.prices.made_of[i][k] = number(made_of.at(name));
            }
        }
    }
    return entry;
}

}  // namespace

fs::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache != '\0') return fs::path(cache) / "kport";
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home == '\0')
        throw RequestError("XDG_CACHE_HOME and HOME are unset; one of them says where files are kept");
    return fs::path(home) / ".cache" / "kport";
}

fs::path default_calibration_file() { return cache_folder() / "calibration.json"; }

std::vector<Calibrated> read_calibrations(const fs::path& file) {
    std::error_code error;
    if (fs::is_directory(file, error)) refuse(file, "is a folder");
    if (fs::is_character_file(file, error) || fs::is_block_file(file, error)) refuse(file, "is a device, not a file");
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in && errno == ENOENT) return {};
    if (!in) refuse(file, fmt::format("cannot be read ({})", std::strerror(errno)));
    constexpr std::streamsize most = std::streamsize{16} << 20;  // pipes may be endless
    std::string text(static_cast<std::size_t>(most) + 1, '\0');
    in.read(text.data(), most + 1);
    if (in.gcount() > most) refuse(file, "holds more than 16 MiB, as no calibration does");
    text.resize(static_cast<std::size_t>(in.gcount()));
    return calibrations_in(text, file);
}

std::vector<Calibrated> calibrations_in(std::string_view text, const fs::path& file) {
    const auto refuse_text = [&](const char* why) {
        refuse(file, fmt::format("is not one that 'kport bench --calibrate' wrote ({})", why));
    };
    std::vector<Calibrated> all;
    try {
        const Json json = Json::parse(text);
        for (const Json& entry : json.at("calibrations")) all.push_back(calibrated_of(entry));
    } catch (const Json::exception& why) {
        refuse_text(why.what());
    } catch (const RequestError& why) {
        refuse_text(why.what());
    }
    return all;
}

void require_storable(const fs::path& file) {
    (void)read_calibrations(file);  // an unreadable file must not be overwritten
    std::error_code error;
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    fs::create_directories(folder, error);
    if (error) refuse(file, fmt::format("its folder cannot be made ({})", error.message()));
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        refuse(file, fmt::format("its folder cannot be written ({})", std::strerror(errno)));
}

void store_calibrations(const fs::path& file, const std::vector<Calibration>& calibrations) {
    require_storable(file);
    const std::string now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    Json json;
    json["calibrations"] = Json::array();
    for (const Calibrated& old : read_calibrations(file)) {
        bool renewed = false;
        for (const Calibration& calibration : calibrations) renewed = renewed || calibration.key == old.key;
        if (!renewed) json["calibrations"].push_back(json_of(old));
    }
    for (const Calibration& calibration : calibrations)
        json["calibrations"].push_back(json_of(
            Calibrated{calibration.key, calibration.used().prices, calibration.observations.front().work.caches, now}));

    if (const auto why = replace_file(file, json.dump(2) + '\n'))
        refuse(file, fmt::format("cannot be written ({})", *why));
}

}  // namespace kport::measure
