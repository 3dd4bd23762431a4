#include "shared/kube/watch_stream.h"

#include <nlohmann/json.hpp>

#include "shared/kube/answer.h"

namespace pgc::kube {
namespace {

std::optional<WatchEventType> event_type(std::string_view name) {
  if (name == "ADDED") return WatchEventType::kAdded;
  if (name == "MODIFIED") return WatchEventType::kModified;
  if (name == "DELETED") return WatchEventType::kDeleted;
  if (name == "BOOKMARK") return WatchEventType::kBookmark;
  return std::nullopt;
}

json::Shape event_shape(const json::Shape* keep) {
  return {.others = false, .members = {{"type"}, {.name = "object", .shape = object_shape(keep)}}};
}

// Many times what etcd stores of an object.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

// The space for a longer one is given back.
constexpr std::size_t kOrdinaryLine = std::size_t{64} << 10;

Error no_event() {
  return {.kind = ErrorKind::kMalformed, .message = "a watch delivered no event"};
}

}  // namespace

WatchStream::WatchStream(const ResourceType& type, const json::Shape* keep,
                         std::function<void(const WatchEvent&)> deliver)
    : type_(type),
      shape_(event_shape(keep)),
      reader_(answer_reader()),
      deliver_(std::move(deliver)) {}

bool WatchStream::feed(std::string_view bytes) {
  while (!error_) {
    const auto newline = bytes.find('\n');
    if (newline == std::string_view::npos) {
      rest_.append(bytes);
      return rest_.size() <= kLongestLine || fail(no_event());
    }
    const std::string_view end = bytes.substr(0, newline);
    bytes.remove_prefix(newline + 1);
    if (!take_line(rest_.empty() ? end : std::string_view(rest_.append(end)))) return false;
    rest_.clear();
    if (rest_.capacity() > kOrdinaryLine) rest_.shrink_to_fit();
  }
  return false;
}

bool WatchStream::finish() {
  if (rest_.empty()) return true;
  if (rest_.front() != '{') return fail(no_event());
  return fail(
      {.kind = ErrorKind::kUnreachable, .message = "a watch ended in the middle of an event"});
}

bool WatchStream::take_line(std::string_view line) {
  if (line.empty()) return true;
  auto event = reader_.read(line, shape_);
  if (!event || !event->is_object() || !event->contains("object")) return fail(no_event());
  const std::string_view name = string_at(*event, {"type"});
  if (name == "ERROR") return fail(told_error(line));
  const auto type = event_type(name);
  // What a bookmark says stands in an annotation that no shape of ours need know.
  if (type == WatchEventType::kBookmark) event = reader_.read(line);
  return type ? take_event(*type, (*event)["object"]) : fail(no_event());
}

bool WatchStream::take_event(WatchEventType type, Json& object) {
  if (!object.is_object()) return fail(no_event());
  add_type(object, type_);
  deliver_({type, Object(std::move(object))});
  return true;
}

bool WatchStream::fail(Error error) {
  error_ = std::move(error);
  return false;
}

// The shape of the objects is not that of a metav1.Status.
Error WatchStream::told_error(std::string_view line) {
  const auto event = reader_.read(line);
  const Json* status = event ? find_at(*event, {"object"}) : nullptr;
  if (status == nullptr) return no_event();
  return error_from_answer(static_cast<int>(int_at(*status, {"code"}, 500)), status->dump());
}

}  // namespace pgc::kube
