// What has happened in the in-memory API server, for watches: every change with its
// resourceVersion, as far back as it has not been compacted.
//
// No lock of its own: the server's guards it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "shared/kube/client.h"

namespace pgc::test {

struct Happening {
  std::int64_t version = 0;
  kube::ResourceType type;
  std::optional<kube::Object> before;  // null: created
  std::optional<kube::Object> after;   // null: gone
};

class History {
 public:
  // The version goes up by one with each; of an object that is gone it is the deletion's.
  void add(Happening happening);

  // A watch from a version before this one is told to list again.
  std::int64_t beginning() const { return beginning_; }
  void forget_until(std::int64_t version);

  // The first that happened after `version`, or null; valid until the next call of add.
  const Happening* after(std::int64_t version) const;

 private:
  static constexpr std::size_t kLongest = 100'000;

  std::deque<Happening> happenings_;
  std::int64_t beginning_ = 0;
};

// What a watch with these options is told of it; nothing where it is not concerned. An object that
// comes to match the selector is new to the watch, and one that no longer does is gone.
std::optional<kube::WatchEvent> event_of(const Happening& happening, const kube::ResourceType& type,
                                         const kube::ListOptions& options);

// Whether the selectors are of a form that the server understands.
bool understands(const kube::ListOptions& options);

// Whether a list or watch with these options holds the object.
bool covers(const kube::ListOptions& options, const kube::Object& object);

// The object as a list or watch with these options shows it.
kube::Object shown(const kube::Object& object, const kube::ListOptions& options);

}  // namespace pgc::test
