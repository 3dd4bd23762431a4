// What is sent to the API server for each of the client's functions. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/kube/client.h"
#include "shared/kube/config.h"

namespace pgc::kube {

struct ApiRequest {
  std::string_view verb;    // as in ApiCall
  std::string_view method;  // "GET"
  std::string resource;     // as in ApiCall
  std::string path;         // with the query, without the server's own prefix
  std::string content_type = {};
  std::string body = {};
  std::string_view accept = "application/json";
  bool limited = true;  // counts against ClientOptions::requests_per_second
};

ApiRequest get_request(const ObjectRef& ref);
// `limit` 0: all at once; `next`: where the page before has ended.
ApiRequest list_request(const ResourceType& type, const ListOptions& options, int limit,
                        const std::string& next);
ApiRequest watch_request(const ResourceType& type, const ListOptions& options,
                         const std::string& resource_version, std::chrono::seconds longest);
ApiRequest create_request(const ResourceType& type, const std::string& ns, const Object& object,
                          const WriteOptions& options);
ApiRequest replace_request(const ObjectRef& ref, const Object& object, const WriteOptions& options);
ApiRequest patch_request(const ObjectRef& ref, PatchType type, const Json& body,
                         const WriteOptions& options);
ApiRequest remove_request(const ObjectRef& ref, const Preconditions& preconditions);

// The same, to be answered as a table.
ApiRequest as_table(ApiRequest request);

using Headers = std::vector<std::pair<std::string, std::string>>;

// The headers that say who asks, and as whom. Credentials go over TLS only, as with client-go.
Headers identity_headers(const Config& config, const Credential& credential, bool tls);

}  // namespace pgc::kube
