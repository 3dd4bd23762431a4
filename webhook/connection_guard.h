// A bound on how long a connection may take over each of its phases, all bytes together.
//
// cpp-httplib bounds each read, so a peer that sends a byte now and then could hold a worker for
// hours, and a few dozen of those every worker there is. The guard knows each connection from the
// start of its TLS handshake to the end of its session, and shuts the socket of one that is late;
// the worker then sees the end of the stream. Safe from several threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

struct ssl_ctx_st;
struct ssl_st;

namespace pgc::webhook {

struct ConnectionLimits {
  std::chrono::milliseconds handshake{3'000};
  // From the end of the handshake, or of an answer, to the end of the next request's headers. The
  // API server keeps idle connections for 90 s.
  std::chrono::milliseconds idle{100'000};
  std::chrono::milliseconds request{10'000};  // body, review and answer
};

class ConnectionGuard {
 public:
  explicit ConnectionGuard(const ConnectionLimits& limits);
  ~ConnectionGuard();

  // Every session of this context is guarded from now on. The guard must outlive the sessions.
  void attach(ssl_ctx_st* context);

  void request_begins(const ssl_st* session);
  void request_ends(const ssl_st* session);
  // The last answer is on its way; the peer has a moment to read it.
  void connection_ends(const ssl_st* session);

 private:
  using Clock = std::chrono::steady_clock;
  friend struct GuardCallbacks;

  void set_deadline(const ssl_st* session, std::chrono::milliseconds from_now);
  void forget(const ssl_st* session);
  void shut_late_ones(Clock::time_point now);
  void run(std::stop_token stop);

  const ConnectionLimits limits_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::map<const ssl_st*, Clock::time_point> deadlines_;
  std::jthread thread_;
};

}  // namespace pgc::webhook
