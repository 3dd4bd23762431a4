// The API server, asked in its own language: raw bodies go there and come back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shared/kube/config.h"

namespace pgc::agreement {

struct Answer {
  int code = 0;  // 0: no answer, the body says why
  std::string body;
  std::vector<std::string> warnings;

  bool ok() const { return code >= 200 && code < 300; }
};

// One connection that stays open; for one thread.
class Server {
 public:
  explicit Server(const kube::Config& config);
  ~Server();

  Answer get(const std::string& path);
  Answer post(const std::string& path, const std::string& body);
  Answer put(const std::string& path, const std::string& body);
  Answer merge(const std::string& path, const std::string& body);
  Answer remove(const std::string& path);

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace pgc::agreement
