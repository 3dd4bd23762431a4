// One TLS connection as cpp-httplib reads and writes it: buffered, and with a moment at which
// everything ends, however many bytes have come by then. (cpp-httplib's own stream bounds each
// read, asks OpenSSL for one byte at a time while it reads headers, and cannot be told to stop.)
//
// Of one worker alone. For server.cpp and https_server.cpp; the only header that includes httplib.
#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <array>
#include <chrono>

namespace pgc::webhook {

class TlsStream final : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  // The session is on a socket that does not block. Both are the caller's, and outlive this.
  TlsStream(int socket, SSL* session) : socket_(socket), session_(session) {}

  // From now on nothing waits longer than until then.
  void until(Clock::time_point deadline) { deadline_ = deadline; }
  bool late() const { return late_; }  // the deadline has ended something

  bool shake_hands();
  // Until the first byte of the next request is there.
  bool wait_for_input();
  // What comes from here on is not for us; reads end at once.
  void stop_reading() { input_ended_ = true; }
  // Says that no more will come, and discards what the peer still sends, until it has hung up or
  // the deadline: a socket closed with unread input takes back the answer on its way.
  void hang_up(bool discard_input);

  bool is_readable() const override { return begin_ < end_; }
  bool wait_readable() const override { return !input_ended_; }
  bool wait_writable() const override { return true; }  // write() waits
  ssize_t read(char* data, std::size_t size) override;
  ssize_t write(const char* data, std::size_t size) override;
  socket_t socket() const override { return socket_; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  time_t duration() const override { return 0; }

 private:
  // Repeats what OpenSSL could not finish until it can or the deadline has come.
  template <typename Step>
  int complete(Step step);
  bool wait_for(short events);
  ssize_t receive(char* data, std::size_t size);

  const int socket_;
  SSL* const session_;
  Clock::time_point deadline_{};
  bool late_ = false;
  bool input_ended_ = false;
  std::array<char, 8192> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace pgc::webhook
