// The load on a server: several connections at once, each with a thread of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "bench/webhook.d/load/reviews.h"

namespace pgc::bench {

struct LoadOptions {
  int port = 0;
  std::string ca_file;
  unsigned connections = 8;
  std::chrono::milliseconds duration{3'000};
  // Requests a second over all connections, whether answers come or not: an open loop, in which a
  // request's time begins when it was due, so that a stall counts for all that it delays. 0: a
  // closed loop, each connection asks again as soon as it has its answer.
  double rate = 0;
};

struct LoadResult {
  std::vector<std::uint32_t> micros;  // of every right answer, ascending
  double seconds = 0;
  std::vector<std::string> faults;  // wrong answers and broken connections
};

std::expected<LoadResult, std::string> load(const LoadOptions& options,
                                            const std::vector<Review>& reviews);

}  // namespace pgc::bench
