// The client over cpp-httplib. One httplib client is one connection and serves one request at a
// time; idle ones wait in a pool for the next thread.
#include <httplib.h>

#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>

#include "shared/kube/answer.h"
#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "shared/kube/credentials.h"
#include "shared/kube/url.h"
#include "shared/kube/warning.h"
#include "shared/kube/watch_stream.h"

namespace pgc::kube {
namespace {

// A connection, and who it was opened as: a certificate is shown once, when it opens.
struct Connection {
  std::unique_ptr<httplib::ClientImpl> http;
  Credential as;
};

// A watch lives as long as the server lets it; what is silent for longer than this is dead.
constexpr int kWatchSeconds = 290;
constexpr std::chrono::seconds kWatchSilence{kWatchSeconds + 40};

Error configuration_error(std::string message) {
  return {.kind = ErrorKind::kConfiguration, .message = std::move(message)};
}

// A peer that vanished without a word is noticed within a minute, also on an idle watch.
void keep_socket_alive(socket_t socket) {
  httplib::default_socket_options(socket);
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, reinterpret_cast<const char*>(&on), sizeof on);
#ifdef TCP_KEEPIDLE
  const int idle = 20;
  const int interval = 10;
  const int probes = 3;
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
#endif
}

std::string_view content_type(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "";
}

Query write_query(const WriteOptions& options) {
  return {{"fieldManager", options.field_manager},
          {"force", options.force ? "true" : ""},
          {"dryRun", options.dry_run ? "All" : ""},
          {"fieldValidation", options.field_validation}};
}

class HttpClient final : public Client {
 public:
  HttpClient(Config config, ServerUrl url, ClientOptions options)
      : config_(std::move(config)),
        url_(std::move(url)),
        options_(std::move(options)),
        credentials_(config_) {}

  // Makes one connection object, so that bad certificates are told at once.
  Result<void> prepare() {
    auto connection = acquire();
    if (!connection) return std::unexpected(connection.error());
    release(std::move(*connection));
    return {};
  }

  Result<Object> get(const ObjectRef& ref) override {
    return exchange_object("GET", object_path(ref), {}, {});
  }

  Result<ObjectList> list(const ResourceType& type, const ListOptions& options) override;

  Result<Object> create(const ResourceType& type, const std::string& ns, const Object& object,
                        const WriteOptions& options) override {
    return exchange_object("POST", collection_path(type, ns) + query_string(write_query(options)),
                           object.json().dump(), "application/json");
  }

  Result<Object> replace(const ObjectRef& ref, const Object& object,
                         const WriteOptions& options) override {
    return exchange_object(
        "PUT", object_path(ref, options.subresource) + query_string(write_query(options)),
        object.json().dump(), "application/json");
  }

  Result<Object> patch(const ObjectRef& ref, PatchType type, const Json& body,
                       const WriteOptions& options) override {
    return exchange_object(
        "PATCH", object_path(ref, options.subresource) + query_string(write_query(options)),
        body.dump(), content_type(type));
  }

  Result<void> remove(const ObjectRef& ref, const Preconditions& preconditions) override;

  Result<void> watch(const ResourceType& type, const ListOptions& options,
                     const std::string& resource_version,
                     const std::function<void(const WatchEvent&)>& deliver,
                     std::stop_token stop) override;

 private:
  Result<Connection> connect(const Credential& credential);
  Result<Connection> connect_anew();
  Result<Connection> acquire();
  void release(Connection connection);
  httplib::Headers headers(const Credential& credential) const;
  void pass_on_warnings(const httplib::Response& response);
  Error transport_error(const httplib::Result& result, std::string_view method);
  Result<std::string> exchange(std::string_view method, const std::string& path, std::string body,
                               std::string_view type);
  Result<Object> exchange_object(std::string_view method, const std::string& path, std::string body,
                                 std::string_view type);

  // Constant after construction.
  const Config config_;
  const ServerUrl url_;
  const ClientOptions options_;

  Credentials credentials_;  // safe from several threads

  std::mutex mutex_;
  std::vector<Connection> idle_;  // guarded by mutex_
};

Result<std::unique_ptr<httplib::ClientImpl>> tls_connection(const Config& config,
                                                            const ServerUrl& url,
                                                            const Credential& credential) {
  const bool renamed = !config.tls_server_name.empty();
  const std::string& host = renamed ? config.tls_server_name : url.host;
  const httplib::SSLClient::PemMemory pem{
      credential.certificate_pem.c_str(), credential.certificate_pem.size(),
      credential.key_pem.c_str(), credential.key_pem.size(), nullptr};
  auto client = credential.certificate_pem.empty()
                    ? std::make_unique<httplib::SSLClient>(host, url.port)
                    : std::make_unique<httplib::SSLClient>(host, url.port, pem);
  if (!client->is_valid()) {
    return std::unexpected(
        configuration_error("the client certificate and its key cannot be used together"));
  }
  if (renamed) client->set_hostname_addr_map({{config.tls_server_name, url.host}});
  if (config.insecure_skip_tls_verify) {
    client->enable_server_certificate_verification(false);
  } else if (!config.ca_pem.empty()) {
    client->load_ca_cert_store(config.ca_pem.data(), config.ca_pem.size());
  }
  return client;
}

Result<Connection> HttpClient::connect(const Credential& credential) {
  Result<std::unique_ptr<httplib::ClientImpl>> http =
      url_.tls ? tls_connection(config_, url_, credential)
               : std::make_unique<httplib::ClientImpl>(url_.host, url_.port);
  if (!http) return std::unexpected(http.error());
  (*http)->set_keep_alive(true);
  (*http)->set_path_encode(false);
  (*http)->set_tcp_nodelay(true);
  (*http)->set_socket_options(keep_socket_alive);
  (*http)->set_connection_timeout(options_.timeout);
  (*http)->set_read_timeout(options_.timeout);
  (*http)->set_write_timeout(options_.timeout);
  (*http)->set_max_timeout(options_.timeout);
  return Connection{std::move(*http), credential};
}

Result<Connection> HttpClient::connect_anew() {
  const auto credential = credentials_.current(std::chrono::system_clock::now());
  if (!credential) return std::unexpected(credential.error());
  return connect(*credential);
}

// An idle connection that was opened with another certificate would still be the old somebody.
Result<Connection> HttpClient::acquire() {
  auto credential = credentials_.current(std::chrono::system_clock::now());
  if (!credential) return std::unexpected(credential.error());
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      Connection connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection.as.certificate_pem != credential->certificate_pem) continue;
      connection.as = *std::move(credential);
      return connection;
    }
  }
  return connect(*credential);
}

void HttpClient::release(Connection connection) {
  constexpr std::size_t kMostIdle = 8;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
}

// Credentials go over TLS only, as with client-go.
httplib::Headers HttpClient::headers(const Credential& credential) const {
  httplib::Headers result{{"Accept", "application/json"}, {"User-Agent", options_.user_agent}};
  if (url_.tls) {
    if (!credential.token.empty()) {
      result.emplace("Authorization", "Bearer " + credential.token);
    } else if (!config_.username.empty()) {
      result.insert(httplib::make_basic_authentication_header(config_.username, config_.password));
    }
  }
  if (!config_.impersonate_user.empty()) {
    result.emplace("Impersonate-User", config_.impersonate_user);
  }
  if (!config_.impersonate_uid.empty()) {
    result.emplace("Impersonate-Uid", config_.impersonate_uid);
  }
  for (const auto& [key, value] : config_.impersonate_extra) {
    result.emplace("Impersonate-Extra-" + percent_encoded(key), value);
  }
  for (const std::string& group : config_.impersonate_groups) {
    result.emplace("Impersonate-Group", group);
  }
  return result;
}

Error HttpClient::transport_error(const httplib::Result& result, std::string_view method) {
  const httplib::Error error = result.error();
  const bool timed_out = error == httplib::Error::ConnectionTimeout ||
                         error == httplib::Error::Timeout || error == httplib::Error::Read;
  // A connection that breaks during a write leaves open whether the write was done.
  const bool open_end = timed_out && method != "GET";
  return {.kind = open_end ? ErrorKind::kTimeout : ErrorKind::kUnreachable,
          .message = config_.server + ": " + httplib::to_string(error)};
}

Result<std::string> HttpClient::exchange(std::string_view method, const std::string& path,
                                         std::string body, std::string_view type) {
  auto connection = acquire();
  if (!connection) return std::unexpected(connection.error());
  httplib::Request request;
  request.method = method;
  request.path = url_.path + path;
  request.headers = headers(connection->as);
  if (!type.empty()) request.headers.emplace("Content-Type", std::string(type));
  request.body = std::move(body);
  const httplib::Result result = connection->http->send(request);
  if (!result) return std::unexpected(transport_error(result, method));
  if (result->status == 401) credentials_.refused(connection->as);
  release(std::move(*connection));
  pass_on_warnings(*result);
  if (result->status < 200 || result->status >= 300) {
    return std::unexpected(error_from_answer(result->status, result->body));
  }
  return result->body;
}

void HttpClient::pass_on_warnings(const httplib::Response& response) {
  if (!options_.warn) return;
  const auto [first, last] = response.headers.equal_range("Warning");
  for (auto header = first; header != last; ++header) {
    if (const auto text = warning_text(header->second)) options_.warn(*text);
  }
}

Result<Object> HttpClient::exchange_object(std::string_view method, const std::string& path,
                                           std::string body, std::string_view type) {
  auto answer = exchange(method, path, std::move(body), type);
  if (!answer) return std::unexpected(answer.error());
  json::Reader reader = answer_reader();
  return read_object(reader, *answer, std::string(method) + " " + path);
}

Result<ObjectList> HttpClient::list(const ResourceType& type, const ListOptions& options) {
  const Query query{{"labelSelector", options.label_selector},
                    {"fieldSelector", options.field_selector}};
  auto answer = exchange("GET", collection_path(type, options.ns) + query_string(query), {}, {});
  if (!answer) return std::unexpected(answer.error());
  json::Reader reader = answer_reader();
  auto page = read_list(reader, *answer, type, options.keep);
  if (!page) return std::unexpected(page.error());
  return std::move(page->list);
}

Result<void> HttpClient::remove(const ObjectRef& ref, const Preconditions& preconditions) {
  Json body = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", "Background"}};
  if (!preconditions.uid.empty()) body["preconditions"]["uid"] = preconditions.uid;
  if (!preconditions.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = preconditions.resource_version;
  }
  auto answer = exchange("DELETE", object_path(ref), body.dump(), "application/json");
  if (!answer) return std::unexpected(answer.error());
  return {};
}

Result<void> HttpClient::watch(const ResourceType& type, const ListOptions& options,
                               const std::string& resource_version,
                               const std::function<void(const WatchEvent&)>& deliver,
                               std::stop_token stop) {
  auto connection = connect_anew();  // of its own: it is busy for minutes
  if (!connection) return std::unexpected(connection.error());
  httplib::ClientImpl& client = *connection->http;
  client.set_read_timeout(kWatchSilence);
  client.set_max_timeout(0);
  const Query query{{"watch", "1"},
                    {"allowWatchBookmarks", "true"},
                    {"timeoutSeconds", std::to_string(kWatchSeconds)},
                    {"resourceVersion", resource_version},
                    {"sendInitialEvents", options.initial_events ? "true" : ""},
                    {"resourceVersionMatch", options.initial_events ? "NotOlderThan" : ""},
                    {"labelSelector", options.label_selector},
                    {"fieldSelector", options.field_selector}};
  WatchStream stream(type, options.keep, deliver);
  int status = 0;
  std::string refusal;
  const std::stop_callback end_early(stop, [&client] { client.stop(); });
  if (stop.stop_requested()) return {};
  const auto result = client.Get(
      url_.path + collection_path(type, options.ns) + query_string(query), headers(connection->as),
      [&](const httplib::Response& response) {
        status = response.status;
        return true;
      },
      [&](const char* data, std::size_t size) {
        if (status == 200) return stream.feed({data, size});
        refusal.append(data, size);
        return true;
      });
  if (stop.stop_requested()) return {};
  if (status == 401) credentials_.refused(connection->as);
  if (status != 0 && status != 200) return std::unexpected(error_from_answer(status, refusal));
  if (stream.error()) return std::unexpected(*stream.error());
  if (!result && status == 0) return std::unexpected(transport_error(result, "GET"));
  return {};
}

}  // namespace

Result<std::unique_ptr<Client>> make_http_client(const Config& config,
                                                 const ClientOptions& options) {
#ifdef SIGPIPE  // OpenSSL writes to sockets that the server may have closed meanwhile
  std::signal(SIGPIPE, SIG_IGN);
#endif
  auto url = parse_server_url(config.server);
  if (!url) return std::unexpected(url.error());
  auto client = std::make_unique<HttpClient>(config, *url, options);
  if (auto prepared = client->prepare(); !prepared) return std::unexpected(prepared.error());
  return client;
}

}  // namespace pgc::kube
