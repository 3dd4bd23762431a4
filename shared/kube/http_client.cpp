#include "shared/kube/http_client.h"

#include <csignal>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "shared/kube/kubeconfig.h"
#include "shared/kube/pause.h"
#include "shared/kube/retry.h"
#include "shared/kube/warning.h"

namespace pgc::kube {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// What kubectl asks for at once.
constexpr int kChunk = 500;
// A credential plugin that is asked before the first call has no deadline but its own.
constexpr std::chrono::hours kForTheFirst{1};

constexpr const char* kEnding = "this program ends";

Error unsent(const ApiRequest& request, const std::string& why) {
  return {.kind = ErrorKind::kUnreachable,
          .message = std::string(request.method) + " " +
                     request.path.substr(0, request.path.find('?')) + " was given up: " + why};
}

std::string name_of(const ApiRequest& request) {
  return std::string(request.method) + " " + request.path;
}

template <typename Item>
void append(std::vector<Item>& from, std::vector<Item>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace

Error error_of(const HttpAnswer& answer) {
  Error error = error_from_answer(answer.code, answer.body);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (const auto wait = parse_retry_after(answer.retry_after, now)) error.retry_after = wait;
  return error;
}

HttpClient::HttpClient(const Config& config, Endpoint endpoint, ClientOptions options)
    : config_(config),
      endpoint_(std::move(endpoint)),
      options_(std::move(options)),
      credentials_(config_),
      pool_(endpoint_, credentials_),
      limit_(options_.requests_per_second, options_.burst) {}

Result<void> HttpClient::prepare() {
  auto pooled =
      pool_.make_new({.until = steady_clock::now() + kForTheFirst, .stop = options_.stop});
  if (!pooled) return std::unexpected(pooled.error());
  pool_.release(*std::move(pooled));
  return {};
}

// --- The functions of a Client ---

Result<Object> HttpClient::get(const ObjectRef& ref) {
  return call_for_object(get_request(ref));
}

Result<Object> HttpClient::create(const ResourceType& type, const std::string& ns,
                                  const Object& object, const WriteOptions& options) {
  return call_for_object(create_request(type, ns, object, options), options.keep);
}

Result<Object> HttpClient::replace(const ObjectRef& ref, const Object& object,
                                   const WriteOptions& options) {
  return call_for_object(replace_request(ref, object, options), options.keep);
}

Result<Object> HttpClient::patch(const ObjectRef& ref, PatchType type, const Json& body,
                                 const WriteOptions& options) {
  return call_for_object(patch_request(ref, type, body, options), options.keep);
}

Result<void> HttpClient::remove(const ObjectRef& ref, const Preconditions& preconditions) {
  const auto answer = call(remove_request(ref, preconditions), deadline());
  if (!answer) return std::unexpected(answer.error());
  return {};
}

Result<ObjectList> HttpClient::list(const ResourceType& type, const ListOptions& options) {
  json::Reader reader = answer_reader();
  ObjectList list;
  const auto done = in_chunks(
      [&](int limit, const std::string& next) { return list_request(type, options, limit, next); },
      [&](const ApiRequest&, std::string_view text) -> Result<std::string> {
        auto page = read_list(reader, text, type, options.keep);
        if (!page) return std::unexpected(page.error());
        append(page->list.items, list.items);
        list.resource_version = std::move(page->list.resource_version);
        return std::move(page->next);
      },
      [&] { list = {}; });
  if (!done) return std::unexpected(done.error());
  return list;
}

Result<Table> HttpClient::table(const ResourceType& type, const ListOptions& options) {
  json::Reader reader = answer_reader();
  Table table;
  const auto done = in_chunks(
      [&](int limit, const std::string& next) {
        return as_table(list_request(type, options, limit, next));
      },
      [&](const ApiRequest& request, std::string_view text) -> Result<std::string> {
        auto page = read_table(reader, text, name_of(request));
        if (!page) return std::unexpected(page.error());
        append(page->table.rows, table.rows);
        table.columns = std::move(page->table.columns);
        return std::move(page->next);
      },
      [&] { table = {}; });
  if (!done) return std::unexpected(done.error());
  return table;
}

Result<Table> HttpClient::table(const ObjectRef& ref) {
  const ApiRequest request = as_table(get_request(ref));
  const auto answer = call(request, deadline());
  if (!answer) return std::unexpected(answer.error());
  json::Reader reader = answer_reader();
  auto page = read_table(reader, *answer, name_of(request));
  if (!page) return std::unexpected(page.error());
  return std::move(page->table);
}

// Where a token has expired between two chunks, the rest would be of another time: all at once
// then.
Result<void> HttpClient::in_chunks(const RequestPage& request, const TakePage& take,
                                   const std::function<void()>& begin_anew) {
  const Deadline until = deadline();
  auto done = pages(request, take, kChunk, until);
  if (done || !done.error().is(ErrorKind::kGone)) return done;
  begin_anew();
  return pages(request, take, /*limit=*/0, until);
}

Result<void> HttpClient::pages(const RequestPage& request_page, const TakePage& take, int limit,
                               Deadline until) {
  std::string next;
  do {
    const ApiRequest request = request_page(limit, next);
    const auto answer = call(request, until);
    if (!answer) return std::unexpected(answer.error());
    auto more = take(request, *answer);
    if (!more) return std::unexpected(more.error());
    next = *std::move(more);
  } while (!next.empty());
  return {};
}

Result<Object> HttpClient::call_for_object(const ApiRequest& request, const json::Shape* keep) {
  const auto answer = call(request, deadline());
  if (!answer) return std::unexpected(answer.error());
  thread_local json::Reader reader = answer_reader();  // its buffers serve the next call, too
  return read_object(reader, *answer, name_of(request), keep);
}

// --- Requests ---

Deadline HttpClient::deadline() const {
  return steady_clock::now() + options_.timeout;
}

HttpRequest HttpClient::wire_request(const ApiRequest& request, const Credential& as) const {
  HttpRequest wire{.method = request.method,
                   .path = endpoint_.url.path + request.path,
                   .headers = identity_headers(config_, as, endpoint_.url.tls),
                   .body = request.body};
  wire.headers.emplace_back("Accept", std::string(request.accept));
  wire.headers.emplace_back("User-Agent", options_.user_agent);
  if (!request.content_type.empty()) {
    wire.headers.emplace_back("Content-Type", request.content_type);
  }
  return wire;
}

// A Lease is released when all else has ended.
Patience HttpClient::patience(const ApiRequest& request, Deadline until) const {
  return {.until = until, .stop = request.limited ? options_.stop : std::stop_token()};
}

Result<void> HttpClient::wait_for_turn(const ApiRequest& request, const Patience& patience) {
  if (!request.limited) return {};
  std::optional<Deadline> turn;
  const Deadline now = steady_clock::now();
  {
    const std::lock_guard lock(limit_mutex_);
    turn = limit_.reserve(now, patience.until);
  }
  if (!turn) return std::unexpected(unsent(request, "so many others wait that it would be late"));
  if (*turn <= now || pause_until(*turn, patience.stop)) return {};
  return std::unexpected(unsent(request, kEnding));
}

Result<std::string> HttpClient::call(const ApiRequest& request, Deadline until) {
  const Patience patient = patience(request, until);
  if (auto turn = wait_for_turn(request, patient); !turn) return std::unexpected(turn.error());
  for (int number = 1;; ++number) {
    bool on_used_connection = false;
    auto answer = attempt(request, patient, on_used_connection);
    if (answer) return std::move(answer->body);
    const auto left = std::chrono::floor<milliseconds>(until - steady_clock::now());
    const auto wait = repeat_after(answer.error(), {.method = request.method,
                                                    .number = number,
                                                    .left = left,
                                                    .on_used_connection = on_used_connection,
                                                    .patient = request.limited});
    if (!wait || !pause_for(*wait, patient.stop)) return std::unexpected(answer.error());
  }
}

Result<HttpAnswer> HttpClient::attempt(const ApiRequest& request, const Patience& patience,
                                       bool& on_used_connection) {
  auto pooled = pool_.acquire(patience);
  if (!pooled) return std::unexpected(pooled.error());
  on_used_connection = pooled->connection->used();
  const Deadline begun = steady_clock::now();
  auto answer = exchange(*pooled, request, patience);
  observe(request, answer ? answer->code : 0, begun);
  if (!answer) return answer;
  if (answer->code == 401) credentials_.refused(pooled->as);
  if (!pooled->connection->is_cut()) pool_.release(*std::move(pooled));
  pass_on_warnings(*answer);
  if (answer->code < 200 || answer->code >= 300) return std::unexpected(error_of(*answer));
  return answer;
}

// What has become of a write is worth the wait, a read is not.
Result<HttpAnswer> HttpClient::exchange(Pooled& pooled, const ApiRequest& request,
                                        const Patience& patience) {
  Connection& connection = *pooled.connection;
  const std::stop_token stop = request.method == "GET" ? patience.stop : std::stop_token();
  auto answer = [&] {
    const std::stop_callback end_early(stop, [&connection] { connection.cut(); });
    return connection.send(wire_request(request, pooled.as), patience.until);
  }();
  if (answer || !stop.stop_requested()) return answer;
  return std::unexpected(unsent(request, kEnding));
}

void HttpClient::observe(const ApiRequest& request, int code, Deadline begun) const {
  if (!options_.observe_call) return;
  options_.observe_call({.verb = request.verb,
                         .resource = request.resource,
                         .code = code,
                         .time = steady_clock::now() - begun});
}

void HttpClient::pass_on_warnings(const HttpAnswer& answer) const {
  if (!options_.warn) return;
  for (const std::string& header : answer.warnings) {
    if (const auto text = warning_text(header)) options_.warn(*text);
  }
}

Result<std::unique_ptr<Client>> make_http_client(const Config& config,
                                                 const ClientOptions& options) {
#ifdef SIGPIPE  // OpenSSL writes to sockets that the server may have closed meanwhile
  std::signal(SIGPIPE, SIG_IGN);
#endif
  const auto url = parse_server_url(config.server);
  if (!url) return std::unexpected(url.error());
  const auto proxy = choose_proxy(config.proxy_url, *url, environment_variable);
  if (!proxy) return std::unexpected(proxy.error());
  Endpoint endpoint{.url = *url,
                    .proxy = *proxy,
                    .ca_pem = config.ca_pem,
                    .tls_server_name = config.tls_server_name,
                    .insecure = config.insecure_skip_tls_verify};
  auto client = std::make_unique<HttpClient>(config, std::move(endpoint), options);
  if (auto prepared = client->prepare(); !prepared) return std::unexpected(prepared.error());
  return client;
}

}  // namespace pgc::kube
