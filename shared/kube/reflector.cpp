#include "shared/kube/reflector.h"

#include <algorithm>
#include <chrono>

#include "shared/kube/backoff.h"
#include "shared/kube/pause.h"

namespace pgc::kube {
namespace {

using std::chrono::milliseconds;
using Beginning = ReflectorHooks::Beginning;

constexpr milliseconds kShortWatch{500};
constexpr milliseconds kLongWatch{5'000};
constexpr BackoffLimits kAnswered{.first = milliseconds(500), .longest = milliseconds(30'000)};
constexpr BackoffLimits kUnanswered{.first = milliseconds(50), .longest = milliseconds(1'500)};
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

}  // namespace

Reflector::Reflector(Client& client, Cache& cache, ResourceType type, ListOptions options,
                     ReflectorHooks hooks)
    : client_(client),
      cache_(cache),
      type_(type),
      options_(std::move(options)),
      hooks_(std::move(hooks)) {}

void Reflector::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const std::string before = resource_version_;
    const auto begun = std::chrono::steady_clock::now();
    const auto result = list_and_watch(stop);
    if (stop.stop_requested()) return;
    const auto lasted = std::chrono::steady_clock::now() - begun;
    if (lasted > kLongWatch) progress();  // it was there, or is slow enough to say no
    if (!result) {
      hooks_.failed(type_, result.error());
      if (!result.error().is(ErrorKind::kUnreachable)) resource_version_.clear();
      pause_for(wait_after(result.error()), stop);
      continue;
    }
    // Whoever hangs up at once and without a word is not asked again at once.
    if (lasted < kShortWatch && resource_version_ == before) {
      pause_for(backoff(kUnanswered, ++unanswered_, hooks_.random()), stop);
    } else {
      progress();
    }
  }
}

milliseconds Reflector::wait_after(const Error& error) {
  const bool unanswered = error.is(ErrorKind::kUnreachable);
  if (unanswered) refused_ = 0;
  const auto wait = unanswered ? backoff(kUnanswered, ++unanswered_, hooks_.random())
                               : backoff(kAnswered, ++refused_, hooks_.random());
  return std::max(wait, milliseconds(error.retry_after.value_or(std::chrono::seconds(0))));
}

Result<void> Reflector::list_and_watch(std::stop_token stop) {
  if (!resource_version_.empty()) return watch(stop);
  if (streams_) {
    auto streamed = stream(stop);
    const bool refused = !streamed && streamed.error().is(ErrorKind::kInvalid);
    if (!refused) return streamed;
    streams_ = false;
  }
  if (auto listed = relist(); !listed) return listed;
  return watch(stop);
}

// What ends before the list is complete has come in no order: there is no place to go on from.
Result<void> Reflector::stream(std::stop_token stop) {
  begin(Beginning::kList);
  ListOptions options = options_;
  options.initial_events = true;
  listed_.clear();
  bool complete = false;
  auto result = client_.watch(
      type_, options, "",
      [&](const WatchEvent& event) {
        if (complete) return take(event);
        take_listed(event);
        complete = !resource_version_.empty();
      },
      stop);
  listed_.clear();
  if (result && !complete) {
    return std::unexpected(
        Error{.kind = ErrorKind::kUnreachable, .message = "the list ended before it was complete"});
  }
  return result;
}

void Reflector::take_listed(const WatchEvent& event) {
  const Object& object = event.object;
  switch (event.type) {
    case WatchEventType::kAdded:
    case WatchEventType::kModified:
      listed_.emplace(object.ns(), object.name());
      tell(cache_.put_listed(type_, object));
      break;
    case WatchEventType::kDeleted:
      listed_.erase({std::string(object.ns()), std::string(object.name())});
      break;
    case WatchEventType::kBookmark:
      if (object.annotation(kInitialEventsEnd) == "true") complete(object.resource_version());
      break;
  }
}

Result<void> Reflector::relist() {
  begin(Beginning::kList);
  auto list = client_.list(type_, options_);
  if (!list) return std::unexpected(list.error());
  listed_.clear();
  for (const Object& object : list->items) {
    listed_.emplace(object.ns(), object.name());
    tell(cache_.put_listed(type_, object));
  }
  complete(list->resource_version);
  return {};
}

void Reflector::complete(std::string_view resource_version) {
  reached(resource_version);
  const auto gone = cache_.keep_only(type_, options_.ns, listed_);
  listed_.clear();
  synced_ = true;
  progress();
  for (const Change& change : gone) tell(change);
}

Result<void> Reflector::watch(std::stop_token stop) {
  begin(Beginning::kWatch);
  return client_.watch(
      type_, options_, resource_version_, [this](const WatchEvent& event) { take(event); }, stop);
}

// The place is noted first: whoever sees what the event has done may see how far the watch has
// come.
void Reflector::take(const WatchEvent& event) {
  progress();
  reached(event.object.resource_version());
  switch (event.type) {
    case WatchEventType::kAdded:
    case WatchEventType::kModified:
      tell(cache_.put(type_, event.object));
      break;
    case WatchEventType::kDeleted:
      tell(cache_.erase(type_, event.object));
      break;
    case WatchEventType::kBookmark:
      break;
  }
}

void Reflector::progress() {
  unanswered_ = 0;
  refused_ = 0;
}

void Reflector::reached(std::string_view resource_version) {
  resource_version_ = resource_version;
  cache_.reached(type_, options_.ns, resource_version);
}

void Reflector::tell(const Change& change) {
  if (change) hooks_.changed(change);
}

void Reflector::begin(Beginning beginning) {
  if (hooks_.began) hooks_.began(type_, beginning);
}

}  // namespace pgc::kube
