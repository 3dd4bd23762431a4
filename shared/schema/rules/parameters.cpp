#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "shared/schema/rules/access.h"
#include "shared/schema/rules/concerns.h"
#include "shared/schema/rules/managed_parameters.h"
#include "shared/schema/rules/parameter_values.h"

namespace pgc::schema {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_inner(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '$';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_inner);
}

// work_mem, or with the prefix of an extension: auto_explain.log_min_duration.
bool is_parameter_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return is_identifier(name);
  return is_identifier(name.substr(0, dot)) && is_identifier(name.substr(dot + 1));
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

// One parameter. What is said about its value starts with the value itself.
class ParameterCheck {
 public:
  ParameterCheck(const std::string& name, const Json& value, Verdict& verdict)
      : name_(lower(name)),
        path_(FieldPath("spec.postgresql.parameters").child(name)),
        value_(value),
        text_(*text_of(&value)),
        verdict_(verdict) {}

  void run() {
    if (refuse_characters()) return;
    if (const std::string_view reason = reason_not_settable(name_); !reason.empty()) {
      verdict_.errors.push_back(forbidden(path_, std::string(reason)));
      return;
    }
    if (const PatroniMinimum* minimum = find_minimum(name_)) check_minimum(*minimum);
    if (name_ == "wal_level") check_wal_level();
    if (name_ == "wal_log_hints") check_wal_log_hints();
    if (name_ == "shared_buffers") check_shared_buffers();
  }

 private:
  bool refuse_characters() {
    if (std::any_of(text_.begin(), text_.end(), is_control)) {
      refuse("must be one line without control characters");
      return true;
    }
    if (text_.find('\'') == std::string::npos) return false;
    refuse("must not contain a single quote; leave out the quotes that postgresql.conf needs");
    return true;
  }

  void check_minimum(const PatroniMinimum& limit) {
    const bool is_memory = limit.memory_unit != 0;
    const auto number = is_memory ? parse_memory(text_, limit.memory_unit) : parse_integer(text_);
    const std::string unit = is_memory ? "MB" : "";
    if (!number) {
      refuse(is_memory ? "must be an amount of memory, such as 512MB" : "must be a whole number");
    } else if (*number < limit.minimum * (is_memory ? limit.memory_unit : 1)) {
      refuse("must be at least " + std::to_string(limit.minimum) + unit +
             ": below that Patroni runs with " + std::string(limit.instead) + " instead");
    }
  }

  void check_wal_level() {
    const std::string level = lower(text_);
    if (level == "replica" || level == "logical" || level == "hot_standby") return;
    verdict_.errors.push_back(not_supported(path_, value_, Json{"replica", "logical"}));
  }

  void check_wal_log_hints() {
    if (parse_boolean(text_) == true) return;
    refuse("must be \"on\", or absent: without it a former primary cannot be rewound");
  }

  void check_shared_buffers() {
    constexpr std::int64_t kBlock = 8192;
    const auto bytes = parse_memory(text_, kBlock);
    if (!bytes || *bytes < 16 * kBlock) {
      refuse("must be an amount of memory of at least 128kB, such as 256MB");
    } else if (lacks_unit(text_)) {
      verdict_.warnings.push_back(path_.to_string() +
                                  ": without a unit it counts blocks of 8 kB; write " +
                                  std::to_string(*bytes / 1024) + "kB if that is meant");
    }
  }

  void refuse(const std::string& detail) {
    verdict_.errors.push_back(invalid(path_, value_, detail));
  }

  std::string name_;
  FieldPath path_;
  const Json& value_;
  std::string text_;
  Verdict& verdict_;
};

}  // namespace

void check_parameters(const Change& change, Verdict& verdict) {
  const Json* parameters = find(change.object, {"spec", "postgresql", "parameters"});
  if (parameters == nullptr || !parameters->is_object()) return;
  const FieldPath path("spec.postgresql.parameters");
  std::set<std::string> seen;
  for (const auto& [name, value] : parameters->items()) {
    if (!is_parameter_name(name)) {
      verdict.errors.push_back(invalid(
          path, name,
          "must be the name of a parameter: letters, digits, '_' and '$', with at most one '.'"));
    } else if (!seen.insert(lower(name)).second) {
      verdict.errors.push_back(duplicate(path.child(name), name));
    } else if (text_of(&value)) {
      ParameterCheck(name, value, verdict).run();
    }
  }
}

}  // namespace pgc::schema
