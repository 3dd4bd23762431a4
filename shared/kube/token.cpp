#include "shared/kube/token.h"

#include <fstream>

namespace pgc::kube {

TokenSource::TokenSource(std::string file, std::string fixed)
    : file_(std::move(file)), token_(std::move(fixed)) {}

std::string TokenSource::current() {
  constexpr std::chrono::minutes kFresh{1};
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  const bool due = read_at_ == std::chrono::steady_clock::time_point{} || now - read_at_ > kFresh;
  if (file_.empty() || !due) return token_;
  std::ifstream file(file_);
  std::string token;
  if (file >> token) {
    token_ = token;
    read_at_ = now;
  }
  return token_;
}

}  // namespace pgc::kube
