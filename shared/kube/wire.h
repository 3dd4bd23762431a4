// The bytes to and from a server: TCP, and TLS over it. Internal to connection.cpp.
//
// Each call ends at its deadline or when another thread cuts the socket, whatever the peer does;
// but for the resolver of the system, which has times of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "shared/kube/patience.h"

namespace pgc::kube {

// What a call failed with. kEnded: the peer closed the stream properly, or before a handshake was
// done.
enum class WireProblem { kLate, kLost, kEnded };

struct DialFailure {
  bool late = false;
  bool refused = false;  // nobody listens there
  std::string message;   // in Go's words: "dial tcp 10.0.0.1:6443: connect: no route to host"
};

// One thread.
class Wire {
 public:
  virtual ~Wire() = default;
  // At least one byte.
  virtual std::expected<std::size_t, WireProblem> read(char* to, std::size_t size,
                                                       Deadline deadline) = 0;
  // All of it.
  virtual std::expected<void, WireProblem> write(std::string_view bytes, Deadline deadline) = 0;
  // Of a wire on which nothing is expected: true where the peer has closed it, or has spoken
  // unasked.
  virtual bool stale() = 0;
  // A read would find something at once. (It may be nothing for the reader, as a ticket of TLS is.)
  virtual bool ready() const = 0;
};

class TcpWire final : public Wire {
 public:
  // Tries each address that the name has, and tells of the first that failed. `opened` sees each
  // socket before it connects.
  static std::expected<std::unique_ptr<TcpWire>, DialFailure> open(
      const std::string& host, int port, Deadline deadline,
      const std::function<void(int socket)>& opened);
  ~TcpWire() override;
  TcpWire(const TcpWire&) = delete;
  TcpWire& operator=(const TcpWire&) = delete;

  std::expected<std::size_t, WireProblem> read(char* to, std::size_t size,
                                               Deadline deadline) override;
  std::expected<void, WireProblem> write(std::string_view bytes, Deadline deadline) override;
  bool stale() override { return ready(); }
  bool ready() const override;

  int socket() const { return socket_; }
  // Until something can be read, or written.
  enum class For { kRead, kWrite };
  std::expected<void, WireProblem> wait(For what, Deadline deadline) const;

 private:
  explicit TcpWire(int socket) : socket_(socket) {}
  const int socket_;
};

// "host:port", with an IPv6 address in brackets.
std::string place_of(const std::string& host, int port);

}  // namespace pgc::kube
