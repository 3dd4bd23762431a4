// Which Events are written, and which only counted: one that repeats becomes a series of the first,
// so that a cluster in trouble does not fill etcd.
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ (EventSeries)
//
// No I/O, no clock. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "shared/reconcile/action.h"

namespace pgc {

class EventSeries {
 public:
  using TimePoint = std::chrono::sys_time<std::chrono::microseconds>;

  // A series has ended when it has not gone on for this long.
  static constexpr std::chrono::minutes kEnds{6};
  // The count is written no more often than this.
  static constexpr std::chrono::minutes kPause{1};
  static constexpr std::size_t kMost = 1'000;

  // Happenings of one key are the same one again.
  struct Key {
    std::string uid;  // of the cluster
    bool warning = false;
    std::string reason;
    std::string action;
    std::string note;
    auto operator<=>(const Key&) const = default;
  };

  enum class Write { kCreate, kCount, kNothing };
  struct Decision {
    Write write = Write::kNothing;
    std::string name = {};  // kCount: of the Event
    int count = 1;          // happenings so far, with those that were not written
  };

  Decision happened(const Key& key, TimePoint now);
  // The Event stands under this name: the next one of this key is a repetition of it.
  void stands(const Key& key, const std::string& name, TimePoint now);
  // The Event is gone (they live an hour), or could not be written: the next one starts anew.
  void forget(const Key& key) { series_.erase(key); }

 private:
  struct Series {
    std::string name;
    int count = 1;
    TimePoint last;     // happened
    TimePoint written;  // the count
  };

  static bool ended(const Series& series, TimePoint now) { return now - series.last > kEnds; }
  // There may be many, so that this is not done each time.
  void drop_ended(TimePoint now);

  std::map<Key, Series> series_;
  TimePoint dropped_{};
};

}  // namespace pgc
