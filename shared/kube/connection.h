// One HTTP/1.1 connection to the API server, over TLS and maybe through a proxy. It opens when it
// is first used, and again when the server has closed it meanwhile; no request is sent twice.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/kube/config.h"
#include "shared/kube/patience.h"
#include "shared/kube/proxy.h"
#include "shared/kube/url.h"

namespace pgc::kube {

// Where connections go.
struct Endpoint {
  ServerUrl url;
  std::optional<Proxy> proxy;
  std::string ca_pem;           // empty: the system's roots
  std::string tls_server_name;  // empty: the host of the URL
  bool insecure = false;
};

struct HttpRequest {
  std::string_view method;  // "GET"
  std::string path;         // with its query
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body = {};
};

struct HttpAnswer {
  int code = 0;
  std::string body;
  std::string retry_after;            // the header, as it came
  std::vector<std::string> warnings;  // likewise
  bool whole = true;                  // false for a stream that was cut
};

// One thread at a time, but for cut().
class Connection {
 public:
  // kConfiguration where the certificates can't be used.
  static Result<std::unique_ptr<Connection>> make(const Endpoint& endpoint,
                                                  const Credential& credential);
  ~Connection();

  // Whatever the status is, it is an answer. An error is kUnreachable where the request was not
  // sent or was a GET, kTimeout where the deadline passed or it is open what became of a write.
  Result<HttpAnswer> send(const HttpRequest& request, Deadline deadline);

  // Hands the body over as it comes, until `take` returns false or the stream ends, however it
  // ends. The answer has no body then, unless its status is another than 200. `silence` is the
  // longest time without a byte of a 200, `deadline` is that of all else. What comes within 50 ms
  // of what came before is handed over together, at their end.
  Result<HttpAnswer> stream(const HttpRequest& request, Deadline deadline,
                            std::chrono::seconds silence,
                            const std::function<void(int code)>& begun,
                            const std::function<bool(std::string_view)>& take);

  // Ends whatever it is doing, soon; it can't be used any more. Any thread.
  void cut();

  // It has carried an answer before.
  bool used() const;
  bool is_cut() const;

 private:
  struct Impl;
  explicit Connection(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pgc::kube
