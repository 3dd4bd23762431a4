#include "shared/kube/connection_pool.h"

namespace pgc::kube {
namespace {

constexpr std::size_t kMostIdle = 8;
// kube-apiserver closes what is idle for 90 s. A write that crosses that on its way is lost.
constexpr std::chrono::seconds kLongestIdle{60};

Result<Credential> who_we_are(Credentials& credentials, const Patience& patience) {
  return credentials.current(std::chrono::system_clock::now(), patience);
}

}  // namespace

ConnectionPool::ConnectionPool(const Endpoint& endpoint, Credentials& credentials)
    : endpoint_(endpoint), credentials_(credentials) {}

Result<Pooled> ConnectionPool::open(Credential as) const {
  auto connection = Connection::make(endpoint_, as);
  if (!connection) return std::unexpected(connection.error());
  return Pooled{*std::move(connection), std::move(as)};
}

Result<Pooled> ConnectionPool::make_new(const Patience& patience) {
  auto as = who_we_are(credentials_, patience);
  if (!as) return std::unexpected(as.error());
  return open(*std::move(as));
}

// An idle connection that was opened with another certificate would still be the old somebody.
Result<Pooled> ConnectionPool::acquire(const Patience& patience) {
  auto as = who_we_are(credentials_, patience);
  if (!as) return std::unexpected(as.error());
  std::vector<Idle> unfit;  // closed without the lock
  const auto now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      Idle idle = std::move(idle_.back());
      idle_.pop_back();
      const bool same = idle.pooled.as.certificate_pem == as->certificate_pem;
      if (same && now - idle.since < kLongestIdle) {
        idle.pooled.as = *std::move(as);
        return std::move(idle.pooled);
      }
      unfit.push_back(std::move(idle));
    }
  }
  return open(*std::move(as));
}

void ConnectionPool::release(Pooled pooled) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back({std::move(pooled), Clock::now()});
}

}  // namespace pgc::kube
