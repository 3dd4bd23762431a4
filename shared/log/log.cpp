#include "shared/log/log.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

namespace pgc {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};

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

namespace {

thread_local const LogScope* innermost = nullptr;

void add_scope(const LogScope* scope, OrderedJson& line) {
  if (scope == nullptr) return;
  add_scope(scope->outer(), line);
  for (const auto& [key, value] : scope->fields()) line[key] = value;
}

}  // namespace

LogScope::LogScope(Fields fields) : fields_(std::move(fields)), outer_(innermost) {
  innermost = this;
}

LogScope::~LogScope() {
  innermost = outer_;
}

Log::Log(LogLevel least) : Log(write_to_standard_error, least) {}
Log::Log(Sink sink, LogLevel least) : sink_(std::move(sink)), least_(least) {}

void Log::debug(std::string_view message, Fields fields) const {
  write(LogLevel::kDebug, message, fields);
}
void Log::info(std::string_view message, Fields fields) const {
  write(LogLevel::kInfo, message, fields);
}
void Log::warning(std::string_view message, Fields fields) const {
  write(LogLevel::kWarning, message, fields);
}
void Log::error(std::string_view message, Fields fields) const {
  write(LogLevel::kError, message, fields);
}

void Log::write(LogLevel level, std::string_view message, Fields fields) const {
  if (!writes(level)) return;
  OrderedJson line;
  line["time"] = timestamp(std::chrono::system_clock::now());
  line["level"] = kLevels[static_cast<std::size_t>(level)];
  line["msg"] = message;
  add_scope(innermost, line);
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line[std::string(field.key)] = value; }, field.value);
  }
  sink_(line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

}  // namespace pgc
