// Watches of the in-memory API server.
#include <algorithm>
#include <charconv>

#include "tests/support/api_answer.h"
#include "tests/support/api_server.h"
#include "tests/support/api_types.h"

namespace pgc::test {
namespace {

using kube::Json;
using kube::Result;
using kube::WatchEvent;
using kube::WatchEventType;

WatchEvent bookmark(const kube::ResourceType& type, std::int64_t version, bool initial) {
  Json metadata = {{"resourceVersion", std::to_string(version)}};
  if (initial) metadata["annotations"]["k8s.io/initial-events-end"] = "true";
  return {WatchEventType::kBookmark,
          kube::Object(Json{
              {"apiVersion", type.api_version()}, {"kind", type.kind}, {"metadata", metadata}})};
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

// How far a watch has come.
struct ApiServer::Cursor {
  std::int64_t version = 0;
  int bookmarks = 0;  // seen of those that were asked for
  int ends = 0;
  std::vector<WatchEvent> initial = {};
};

Result<ApiServer::Cursor> ApiServer::open(const kube::ResourceType& type,
                                          const kube::ListOptions& options,
                                          const std::string& resource_version) {
  const auto version = number(resource_version.empty() ? "0" : resource_version);
  if (!version) {
    return answer(400, "BadRequest", "invalid resource version \"" + resource_version + "\"");
  }
  if (*version > version_) {
    return answer(504, "Timeout",
                  "Too large resource version: " + resource_version +
                      ", current: " + std::to_string(version_));
  }
  if (options.initial_events && !streams_) {
    return answer(422, "Invalid",
                  "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: "
                  "sendInitialEvents is forbidden for watch unless the WatchList feature gate is "
                  "enabled");
  }
  Cursor cursor{*version, bookmarks_, ends_};
  if (*version > 0 && !options.initial_events) return cursor;
  cursor.version = version_;
  const auto present = list(type, options);
  for (const kube::Object& object : present->items) {
    cursor.initial.push_back({WatchEventType::kAdded, object});
  }
  if (options.initial_events) cursor.initial.push_back(bookmark(type, version_, true));
  return cursor;
}

bool ApiServer::has_news(const Cursor& cursor) const {
  return cursor.ends != ends_ || cursor.bookmarks != bookmarks_ ||
         history_.after(cursor.version) != nullptr || cursor.version < history_.beginning();
}

// Waits for something to tell; nothing means that the watch is over.
Result<std::vector<WatchEvent>> ApiServer::next(const kube::ResourceType& type,
                                                const kube::ListOptions& options, Cursor& cursor,
                                                std::stop_token stop) {
  std::vector<WatchEvent> events = std::exchange(cursor.initial, {});
  std::unique_lock lock(mutex_);
  while (events.empty()) {
    if (stop.stop_requested() || cursor.ends != ends_) return events;
    if (cursor.version < history_.beginning()) {
      return answer(410, "Expired",
                    "too old resource version: " + std::to_string(cursor.version) + " (" +
                        std::to_string(history_.beginning()) + ")");
    }
    while (const Happening* happening = history_.after(cursor.version)) {
      cursor.version = happening->version;
      if (auto event = event_of(*happening, type, options)) events.push_back(*std::move(event));
    }
    if (std::exchange(cursor.bookmarks, bookmarks_) != bookmarks_) {
      events.push_back(bookmark(type, version_, false));
      cursor.version = version_;
    }
    if (!events.empty()) break;
    waiting_.insert(&cursor);
    news_.wait(lock, stop, [&] { return has_news(cursor); });
    waiting_.erase(&cursor);
  }
  return events;
}

Result<void> ApiServer::watch(const kube::ResourceType& type, const kube::ListOptions& options,
                              const std::string& resource_version,
                              const std::function<void(const WatchEvent&)>& deliver,
                              std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (find_api_type(type) == nullptr) return not_implemented("watch of this resource");
  if (!understands(options)) return not_implemented("selector like this");
  auto cursor = open(type, options, resource_version);
  if (!cursor) return std::unexpected(cursor.error());
  ++watches_;
  lock.unlock();
  Result<void> result;
  while (true) {
    const auto events = next(type, options, *cursor, stop);
    if (!events) result = std::unexpected(events.error());
    if (!events || events->empty()) break;
    for (const WatchEvent& event : *events) {
      if (stop.stop_requested()) break;
      deliver(event);
    }
  }
  lock.lock();
  --watches_;
  return result;
}

std::optional<Happening> ApiServer::happened_after(std::int64_t version) {
  const std::lock_guard lock(mutex_);
  const Happening* happening = history_.after(version);
  return happening == nullptr ? std::nullopt : std::optional(*happening);
}

void ApiServer::compact() {
  const std::lock_guard lock(mutex_);
  history_.forget_until(version_);
  news_.notify_all();
}

void ApiServer::send_bookmarks() {
  const std::lock_guard lock(mutex_);
  ++bookmarks_;
  news_.notify_all();
}

void ApiServer::end_watches() {
  const std::lock_guard lock(mutex_);
  ++ends_;
  news_.notify_all();
}

int ApiServer::open_watches() {
  const std::lock_guard lock(mutex_);
  return watches_;
}

int ApiServer::idle_watches() {
  const std::lock_guard lock(mutex_);
  const auto idle = [this](const Cursor* cursor) { return !has_news(*cursor); };
  return static_cast<int>(std::ranges::count_if(waiting_, idle));
}

void ApiServer::stream_lists(bool can) {
  const std::lock_guard lock(mutex_);
  streams_ = can;
}

}  // namespace pgc::test
