// What the operator last did with each cluster, and why: for people who ask. Nothing is decided by
// it. A kilobyte per cluster at most; safe from several threads.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "operator/schedule.h"

namespace pgc {

// One turn.
struct Report {
  std::chrono::sys_seconds at{};
  std::string id;      // the `reconcile` of its log lines
  std::string why;     // what has woken the cluster
  std::string result;  // "success", or the error
  std::string did;     // one action a line; empty: nothing was to be done
  std::chrono::milliseconds took{0};
};

class Diary {
 public:
  struct Page {
    std::optional<Report> last;       // the last turn
    std::optional<Report> last_deed;  // the last one that did something
  };

  // A reason for the next turn; only the first few are kept.
  void woken(const ClusterKey& key, std::string why);
  // The reasons so far, for the turn that begins now.
  std::string reasons(const ClusterKey& key);
  void add(const ClusterKey& key, Report report);
  void forget(const ClusterKey& key);

  Page read(const ClusterKey& key) const;

 private:
  struct Entry {
    std::vector<std::string> reasons;
    std::size_t more_reasons = 0;
    Page page;
  };

  mutable std::mutex mutex_;
  std::map<ClusterKey, Entry> entries_;  // guarded by mutex_
};

// At most `most` lines, and how many more there were.
std::string first_lines(const std::vector<std::string>& lines, std::size_t most);

}  // namespace pgc
