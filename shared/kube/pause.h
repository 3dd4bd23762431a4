// A sleep that ends early when it is asked to.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace pgc::kube {

// False where it was cut short.
inline bool pause_until(std::chrono::steady_clock::time_point end, std::stop_token stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_until(lock, stop, end, [] { return false; });
  return !stop.stop_requested();
}

inline bool pause_for(std::chrono::milliseconds time, std::stop_token stop) {
  return pause_until(std::chrono::steady_clock::now() + time, std::move(stop));
}

}  // namespace pgc::kube
