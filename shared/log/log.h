// Log lines of the programs that run in the cluster: one JSON object a line, with time, level and
// msg first, so that every collector understands them.
//
// Whoever logs keeps secrets out: names and field paths are fine, values of fields are not. Safe
// from several threads; a line is written whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pgc {

struct LogField {
  std::string_view key;
  std::variant<std::string, std::int64_t, bool> value;
};

enum class LogLevel { kDebug, kInfo, kWarning, kError };

class Log {
 public:
  using Fields = std::initializer_list<LogField>;
  // Takes one finished line, without its newline. Called from any thread, so it locks if it must.
  using Sink = std::function<void(const std::string& line)>;

  // What is less than `least` is not written. To standard error, or to a sink.
  explicit Log(LogLevel least = LogLevel::kInfo);
  explicit Log(Sink sink, LogLevel least = LogLevel::kInfo);

  // For callers whose fields cost something to make.
  bool writes(LogLevel level) const { return level >= least_; }

  void debug(std::string_view message, Fields fields = {}) const;
  void info(std::string_view message, Fields fields = {}) const;
  void warning(std::string_view message, Fields fields = {}) const;
  void error(std::string_view message, Fields fields = {}) const;
  void write(LogLevel level, std::string_view message, Fields fields) const;

 private:
  Sink sink_;
  LogLevel least_;
};

// While it lives, every line that this thread writes carries these fields, too, behind the message:
// whatever is called on behalf of one cluster need not be told which. The inner one of two adds its
// own.
class LogScope {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit LogScope(Fields fields);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  const Fields& fields() const { return fields_; }
  const LogScope* outer() const { return outer_; }

 private:
  const Fields fields_;
  const LogScope* const outer_;
};

}  // namespace pgc
