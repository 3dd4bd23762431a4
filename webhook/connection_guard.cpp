#include "webhook/connection_guard.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

namespace pgc::webhook {

namespace {

constexpr std::chrono::milliseconds kResolution{250};
constexpr std::chrono::milliseconds kFarewell{500};

// The slot of an SSL_CTX where its guard is kept. OpenSSL gives such numbers out for the whole
// process.
int context_slot();
int session_slot();

}  // namespace

// What OpenSSL calls; these are C functions in all but name.
struct GuardCallbacks {
  static ConnectionGuard* guard_of(const SSL* session) {
    return static_cast<ConnectionGuard*>(
        SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), context_slot()));
  }

  static void on_info(const SSL* session, int where, int) {
    ConnectionGuard* guard = guard_of(session);
    if ((where & SSL_CB_HANDSHAKE_START) != 0) {
      SSL_set_ex_data(const_cast<SSL*>(session), session_slot(), guard);
      guard->set_deadline(session, guard->limits_.handshake);
    }
    if ((where & SSL_CB_HANDSHAKE_DONE) != 0) guard->set_deadline(session, guard->limits_.idle);
  }

  // A session ends before its socket is closed, so no other connection can have the number yet.
  static void on_free(void* session, void* guard, CRYPTO_EX_DATA*, int, long, void*) {
    if (guard != nullptr) static_cast<ConnectionGuard*>(guard)->forget(static_cast<SSL*>(session));
  }
};

namespace {

int context_slot() {
  static const int slot = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return slot;
}

int session_slot() {
  static const int slot =
      SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, GuardCallbacks::on_free);
  return slot;
}

}  // namespace

ConnectionGuard::ConnectionGuard(const ConnectionLimits& limits)
    : limits_(limits), thread_([this](std::stop_token stop) { run(stop); }) {}

ConnectionGuard::~ConnectionGuard() = default;

void ConnectionGuard::attach(ssl_ctx_st* context) {
  session_slot();
  SSL_CTX_set_ex_data(context, context_slot(), this);
  SSL_CTX_set_info_callback(context, GuardCallbacks::on_info);
}

void ConnectionGuard::request_begins(const ssl_st* session) {
  set_deadline(session, limits_.request);
}

void ConnectionGuard::request_ends(const ssl_st* session) {
  set_deadline(session, limits_.idle);
}

void ConnectionGuard::connection_ends(const ssl_st* session) {
  set_deadline(session, kFarewell);
}

void ConnectionGuard::set_deadline(const ssl_st* session, std::chrono::milliseconds from_now) {
  const std::lock_guard lock(mutex_);
  deadlines_[session] = Clock::now() + from_now;
}

void ConnectionGuard::forget(const ssl_st* session) {
  const std::lock_guard lock(mutex_);
  deadlines_.erase(session);
}

void ConnectionGuard::shut_late_ones(Clock::time_point now) {
  for (auto& [session, deadline] : deadlines_) {
    if (now < deadline) continue;
    ::shutdown(SSL_get_fd(session), SHUT_RDWR);
    deadline = Clock::time_point::max();  // once is enough
  }
}

void ConnectionGuard::run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, kResolution, [] { return false; });
    shut_late_ones(Clock::now());
  }
}

}  // namespace pgc::webhook
