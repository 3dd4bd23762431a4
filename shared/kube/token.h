// A bearer token that may be replaced on disk while we run, as those of service accounts are.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace pgc::kube {

// Safe from several threads.
class TokenSource {
 public:
  // With an empty `file` the token is always `fixed`.
  TokenSource(std::string file, std::string fixed);

  // Reads the file again when a minute has passed since the last time; keeps the last token where
  // that fails. May be empty.
  std::string current();

 private:
  const std::string file_;

  std::mutex mutex_;
  std::string token_;                                // guarded by mutex_
  std::chrono::steady_clock::time_point read_at_{};  // guarded by mutex_
};

}  // namespace pgc::kube
