// Calls of the HTTP client, and servers on a socket of this machine that answer them.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "tests/support/slowness.h"
#include "tests/support/socket_server.h"

namespace pgc::kube::http_support {

inline const ObjectRef kRef{kPods, "ns", "a"};
inline const std::string kPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";

// `timeout` is that of each call.
std::unique_ptr<Client> client_of(const Config& config,
                                  std::chrono::milliseconds timeout = std::chrono::seconds(10),
                                  ClientOptions options = {});
std::unique_ptr<Client> client_of(const test::SocketServer& server,
                                  std::chrono::milliseconds timeout = std::chrono::seconds(10),
                                  ClientOptions options = {});

// Of the pod kRef.
Result<Object> read(Client& client);
Result<Object> write(Client& client);

struct Watched {
  std::vector<std::string> versions;  // of the events, in order
  Result<void> result;
};

Watched watch(Client& client, const std::string& from = "0", std::stop_token stop = {});

template <typename T>
Error error_of(const Result<T>& result) {
  REQUIRE_FALSE(result);
  return result.error();
}

// Answers each request with kPod.
void answer_forever(test::Peer& peer);
// Answers `first` times with `code`, then well.
test::SocketServer::Script busy(int first, int code, std::string headers);

}  // namespace pgc::kube::http_support
