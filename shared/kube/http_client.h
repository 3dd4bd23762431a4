// The client over HTTP. Internal: others take what make_http_client gives.
#pragma once

#include "shared/kube/answer.h"
#include "shared/kube/client.h"
#include "shared/kube/config.h"
#include "shared/kube/connection_pool.h"
#include "shared/kube/credentials.h"
#include "shared/kube/rate_limit.h"
#include "shared/kube/request.h"

namespace pgc::kube {

class HttpClient final : public Client {
 public:
  HttpClient(const Config& config, Endpoint endpoint, ClientOptions options);

  // Makes one connection object, so that bad certificates are told at once.
  Result<void> prepare();

  Result<Object> get(const ObjectRef& ref) override;
  Result<ObjectList> list(const ResourceType& type, const ListOptions& options) override;
  Result<Object> create(const ResourceType& type, const std::string& ns, const Object& object,
                        const WriteOptions& options) override;
  Result<Object> replace(const ObjectRef& ref, const Object& object,
                         const WriteOptions& options) override;
  Result<Object> patch(const ObjectRef& ref, PatchType type, const Json& body,
                       const WriteOptions& options) override;
  Result<void> remove(const ObjectRef& ref, const Preconditions& preconditions) override;
  Result<Table> table(const ResourceType& type, const ListOptions& options) override;
  Result<Table> table(const ObjectRef& ref) override;
  // In http_watch.cpp.
  Result<void> watch(const ResourceType& type, const ListOptions& options,
                     const std::string& resource_version,
                     const std::function<void(const WatchEvent&)>& deliver,
                     std::stop_token stop) override;

 private:
  using RequestPage = std::function<ApiRequest(int limit, const std::string& next)>;
  using TakePage =
      std::function<Result<std::string>(const ApiRequest& request, std::string_view text)>;

  Deadline deadline() const;
  HttpRequest wire_request(const ApiRequest& request, const Credential& as) const;
  Patience patience(const ApiRequest& request, Deadline until) const;
  Result<void> wait_for_turn(const ApiRequest& request, const Patience& patience);
  // One request and what is repeated of it; the body of a good answer.
  Result<std::string> call(const ApiRequest& request, Deadline until);
  Result<HttpAnswer> attempt(const ApiRequest& request, const Patience& patience,
                             bool& on_used_connection);
  Result<HttpAnswer> exchange(Pooled& pooled, const ApiRequest& request, const Patience& patience);
  Result<Object> call_for_object(const ApiRequest& request, const json::Shape* keep = nullptr);
  // Reads page after page; `take` gives what to ask on with.
  Result<void> in_chunks(const RequestPage& request, const TakePage& take,
                         const std::function<void()>& begin_anew);
  Result<void> pages(const RequestPage& request_page, const TakePage& take, int limit,
                     Deadline until);
  void observe(const ApiRequest& request, int code, Deadline begun) const;
  void pass_on_warnings(const HttpAnswer& answer) const;

  // Constant after construction.
  const Config config_;
  const Endpoint endpoint_;
  const ClientOptions options_;

  // Safe from several threads.
  Credentials credentials_;
  ConnectionPool pool_;

  std::mutex limit_mutex_;
  RateLimit limit_;  // guarded by limit_mutex_
};

// The error that an answer with another status than 2xx is.
Error error_of(const HttpAnswer& answer);

}  // namespace pgc::kube
