// Remembers which Secrets exist, so that they are read when it matters and not at every turn; the
// operator may neither list nor watch Secrets. Names only, no content.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "operator/schedule.h"
#include "shared/kube/client.h"

namespace pgc {

// Safe from several threads.
class SecretMemo final : public kube::Reader {
 public:
  using TimePoint = Schedule::TimePoint;
  using Clock = std::function<TimePoint()>;

  // `random`: at least 0, less than 1. That a Secret is there is good for 8 to 12 minutes, so that
  // clusters that were made together do not ask together for ever; that it is not, for one minute:
  // whoever makes it then finds out.
  SecretMemo(kube::Reader& reader, std::function<double()> random,
             Clock clock = std::chrono::steady_clock::now)
      : reader_(reader), random_(std::move(random)), clock_(std::move(clock)) {}

  // An object with the name alone where the Secret is known to be there, kNotFound where it is
  // known not to be, else what the API server says.
  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override;
  // Not for Secrets: always kForbidden.
  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override;

  // One that we have just made, or found to be there.
  void saw(const std::string& ns, const std::string& name);
  // The next get of any Secret of the cluster reads it anew. (A cluster's Secrets have its name and
  // a dash before their own, and those of my-db-2 count as my-db's, too: that does no harm.)
  void forget(const ClusterKey& key);

  // When the first of the cluster's Secrets is to be looked at again; nothing where none is known.
  std::optional<TimePoint> good_until(const ClusterKey& key) const;
  std::set<std::string> known(const ClusterKey& key) const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, name
  struct Known {
    TimePoint good_until;
    bool there = false;
  };
  using Memory = std::map<Name, Known>;

  static bool of_cluster(const Name& name, const ClusterKey& key);
  std::optional<Known> remembered(const Name& name) const;
  void remember(const Name& name, bool there, std::chrono::seconds span);

  kube::Reader& reader_;
  const std::function<double()> random_;
  const Clock clock_;
  mutable std::mutex mutex_;
  Memory memory_;  // guarded by mutex_
};

}  // namespace pgc
