#include "shared/schema/structural/json_text.h"

#include <algorithm>
#include <limits>
#include <set>

#include "shared/schema/structural/go_text.h"
#include "shared/schema/structural/utf8.h"

namespace pgc::schema {
namespace {

// Builds the value, and remembers which fields stood before.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(int max_depth) : max_depth_(max_depth) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value > kMax ? put(static_cast<double>(value)) : put(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = std::move(name);
    if (level.value->contains(level.key)) note_duplicate();
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::string text = error.what();
    const std::size_t colon = text.find(": ");
    error_ = "at byte " + std::to_string(position) + ": " +
             (colon == std::string::npos ? text : text.substr(colon + 2));
    return false;
  }

  JsonDocument take() { return {std::move(root_), std::move(duplicates_)}; }
  const std::string& error() const { return error_; }

 private:
  struct Level {
    Json* value;
    std::string key;  // of the field that is being read
  };

  Json& slot() {
    if (levels_.empty()) return root_;
    Level& level = levels_.back();
    if (level.value->is_object()) return (*level.value)[level.key];
    level.value->push_back(nullptr);
    return level.value->back();
  }

  bool put(Json value) {
    slot() = std::move(value);
    return true;
  }

  bool open(Json value) {
    if (levels_.size() >= static_cast<std::size_t>(max_depth_)) {
      error_ = "nested deeper than " + std::to_string(max_depth_) + " levels";
      return false;
    }
    Json& place = slot();
    place = std::move(value);
    levels_.push_back({&place, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  void note_duplicate() {
    std::string path;
    for (const Level& level : levels_) {
      if (level.value->is_array()) {
        path += "[" + std::to_string(level.value->size() - 1) + "]";
      } else {
        path += (path.empty() ? "" : ".") + level.key;
      }
    }
    constexpr std::size_t kMost = 100;  // more are not told
    if (duplicates_.size() < kMost && seen_.insert(path).second)
      duplicates_.push_back("duplicate field " + go_quoted(path));
  }

  const int max_depth_;
  Json root_;
  std::vector<Level> levels_;
  std::set<std::string> seen_;
  std::vector<std::string> duplicates_;
  std::string error_;
};

// Each broken byte becomes U+FFFD.
std::string repaired(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = first_code_point(text).size;
    result += size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

}  // namespace

std::expected<JsonDocument, std::string> parse_json(std::string_view text, int max_depth) {
  if (!is_utf8(text)) return parse_json(repaired(text), max_depth);
  Builder builder(max_depth);
  if (!Json::sax_parse(text, &builder)) return std::unexpected(builder.error());
  return builder.take();
}

}  // namespace pgc::schema
