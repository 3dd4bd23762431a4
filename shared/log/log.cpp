#include "shared/log/log.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

namespace pgc {

namespace {

using OrderedJson = nlohmann::ordered_json;

// stdio locks the stream for the length of a call, so lines of several threads never mix.
void write_to_standard_error(const std::string& line) {
  std::fwrite((line + "\n").data(), 1, line.size() + 1, stderr);
}

// "2026-01-31T12:00:00.250Z"
std::string timestamp(std::chrono::system_clock::time_point now) {
  using namespace std::chrono;
  const auto since = duration_cast<milliseconds>(now.time_since_epoch());
  const std::time_t seconds =
      static_cast<std::time_t>(duration_cast<std::chrono::seconds>(since).count());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + size, sizeof text - size, ".%03dZ", static_cast<int>(since.count() % 1000));
  return text;
}

}  // namespace

Log::Log() : sink_(write_to_standard_error) {}
Log::Log(Sink sink) : sink_(std::move(sink)) {}

void Log::info(std::string_view message, Fields fields) const {
  write("info", message, fields);
}
void Log::warning(std::string_view message, Fields fields) const {
  write("warning", message, fields);
}
void Log::error(std::string_view message, Fields fields) const {
  write("error", message, fields);
}

void Log::write(std::string_view level, std::string_view message, Fields fields) const {
  OrderedJson line;
  line["time"] = timestamp(std::chrono::system_clock::now());
  line["level"] = level;
  line["msg"] = message;
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line[std::string(field.key)] = value; }, field.value);
  }
  sink_(line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

}  // namespace pgc
