#include "tests/agreement/server.h"

#include <httplib.h>

#include "shared/kube/url.h"
#include "shared/kube/warning.h"

namespace pgc::agreement {
namespace {

kube::ServerUrl url_of(const kube::Config& config) {
  return kube::parse_server_url(config.server).value_or(kube::ServerUrl{});
}

Answer answer(const httplib::Result& result) {
  if (!result) return {0, httplib::to_string(result.error()), {}};
  Answer answer{result->status, result->body, {}};
  const std::size_t count = result->get_header_value_count("Warning");
  for (std::size_t i = 0; i < count; ++i) {
    if (auto text = kube::warning_text(result->get_header_value("Warning", "", i))) {
      answer.warnings.push_back(*std::move(text));
    }
  }
  return answer;
}

}  // namespace

class Server::Connection {
 public:
  explicit Connection(const kube::Config& config)
      : url_(url_of(config)),
        client_(url_.host, url_.port,
                httplib::SSLClient::PemMemory{
                    config.client_certificate_pem.c_str(), config.client_certificate_pem.size(),
                    config.client_key_pem.c_str(), config.client_key_pem.size(), nullptr}) {
    client_.load_ca_cert_store(config.ca_pem.data(), config.ca_pem.size());
    client_.set_keep_alive(true);
    client_.set_path_encode(false);
    client_.set_tcp_nodelay(true);
    client_.set_read_timeout(30);
  }

  httplib::SSLClient& client() { return client_; }

 private:
  kube::ServerUrl url_;
  httplib::SSLClient client_;
};

Server::Server(const kube::Config& config) : connection_(std::make_unique<Connection>(config)) {}
Server::~Server() = default;

Answer Server::get(const std::string& path) {
  return answer(connection_->client().Get(path));
}

Answer Server::post(const std::string& path, const std::string& body) {
  return answer(connection_->client().Post(path, body, "application/json"));
}

Answer Server::put(const std::string& path, const std::string& body) {
  return answer(connection_->client().Put(path, body, "application/json"));
}

Answer Server::merge(const std::string& path, const std::string& body) {
  return answer(connection_->client().Patch(path, body, "application/merge-patch+json"));
}

Answer Server::remove(const std::string& path) {
  return answer(connection_->client().Delete(path));
}

}  // namespace pgc::agreement
