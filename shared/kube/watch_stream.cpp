#include "shared/kube/watch_stream.h"

#include <nlohmann/json.hpp>

namespace pgc::kube {
namespace {

std::optional<WatchEventType> event_type(std::string_view name) {
  if (name == "ADDED") return WatchEventType::kAdded;
  if (name == "MODIFIED") return WatchEventType::kModified;
  if (name == "DELETED") return WatchEventType::kDeleted;
  if (name == "BOOKMARK") return WatchEventType::kBookmark;
  return std::nullopt;
}

}  // namespace

WatchStream::WatchStream(std::function<void(const WatchEvent&)> deliver)
    : deliver_(std::move(deliver)) {}

bool WatchStream::feed(std::string_view bytes) {
  while (!error_) {
    const auto newline = bytes.find('\n');
    rest_.append(bytes.substr(0, newline));
    if (newline == std::string_view::npos) return true;
    bytes.remove_prefix(newline + 1);
    const std::string line = std::exchange(rest_, {});
    if (!line.empty() && !take_line(line)) return false;
  }
  return false;
}

bool WatchStream::take_line(std::string_view line) {
  Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  const std::string_view name = string_at(event, {"type"});
  const Json* object = find_at(event, {"object"});
  if (name == "ERROR" && object != nullptr) {
    error_ = error_from_answer(static_cast<int>(int_at(*object, {"code"}, 500)), object->dump());
    return false;
  }
  const auto type = event_type(name);
  if (!type || object == nullptr || !object->is_object()) {
    error_ = Error{.kind = ErrorKind::kMalformed, .message = "a watch delivered no event"};
    return false;
  }
  deliver_({*type, Object(std::move(event["object"]))});
  return true;
}

}  // namespace pgc::kube
