#include "shared/kube/reflector.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "shared/kube/pause.h"

namespace pgc::kube {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kShortest{500};
constexpr milliseconds kLongest{30'000};

// managedFields are half of an object, and nobody here reads them.
Object without_managed_fields(const Object& object) {
  if (find_at(object.json(), {"metadata", "managedFields"}) == nullptr) return object;
  Json document = object.json();
  document["metadata"].erase("managedFields");
  return Object(std::move(document));
}

}  // namespace

Reflector::Reflector(Client& client, Cache& cache, ResourceType type, ListOptions options,
                     Listener changed, ErrorListener failed)
    : client_(client),
      cache_(cache),
      type_(type),
      options_(std::move(options)),
      changed_(std::move(changed)),
      failed_(std::move(failed)) {}

void Reflector::run(std::stop_token stop) {
  milliseconds delay = kShortest;
  while (!stop.stop_requested()) {
    const std::string before = resource_version_;
    const auto begun = std::chrono::steady_clock::now();
    if (const auto result = list_and_watch(stop); result || stop.stop_requested()) {
      delay = kShortest;
      // Whoever hangs up at once and without a word is not asked again at once.
      const bool hung_up = std::chrono::steady_clock::now() - begun < kShortest;
      if (hung_up && resource_version_ == before) pause_for(kShortest, stop);
      continue;
    } else {
      failed_(type_, result.error());
      if (!result.error().is(ErrorKind::kUnreachable)) resource_version_.clear();
    }
    pause_for(delay, stop);
    delay = std::min(delay * 2, kLongest);
  }
}

Result<void> Reflector::list_and_watch(std::stop_token stop) {
  if (resource_version_.empty()) {
    if (auto listed = relist(); !listed) return listed;
  }
  return client_.watch(
      type_, options_, resource_version_, [this](const WatchEvent& event) { take(event); }, stop);
}

Result<void> Reflector::relist() {
  auto list = client_.list(type_, options_);
  if (!list) return std::unexpected(list.error());
  std::vector<Object> objects;
  for (const Object& object : list->items) objects.push_back(without_managed_fields(object));
  resource_version_ = list->resource_version;
  const std::vector<Change> changes = cache_.replace_all(type_, objects);
  synced_ = true;
  for (const Change& change : changes) changed_(change);
  return {};
}

void Reflector::take(const WatchEvent& event) {
  resource_version_ = event.object.resource_version();
  switch (event.type) {
    case WatchEventType::kAdded:
    case WatchEventType::kModified:
      changed_(cache_.put(type_, without_managed_fields(event.object)));
      break;
    case WatchEventType::kDeleted:
      changed_(cache_.erase(type_, event.object));
      break;
    case WatchEventType::kBookmark:
      break;
  }
}

}  // namespace pgc::kube
