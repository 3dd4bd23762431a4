// What a peer may cost.
#pragma once

#include <chrono>
#include <cstddef>

namespace pgc::webhook {

struct Limits {
  std::chrono::milliseconds handshake{3'000};
  // Without a byte of a request. The API server closes idle connections after 90 s; it had better
  // be the one who does, because what it sends at that moment would be lost.
  std::chrono::milliseconds idle{100'000};
  // From the first byte of a request to the last one of its answer.
  std::chrono::milliseconds request{10'000};
  // What a peer has for its handshake and its request before others may crowd it out.
  std::chrono::milliseconds grace{250};
  // For a peer to take the last answer while it still sends.
  std::chrono::milliseconds farewell{500};
};

// Two objects of 3 MiB, the most that the API server stores, and room for the envelope.
inline constexpr std::size_t kLargestBody = 7U << 20;
// How many connections may wait for a worker.
inline constexpr std::size_t kLongestQueue = 1'024;

}  // namespace pgc::webhook
