// The URLs of the API: where a resource type and an object live, and query strings. Pure.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/kube/error.h"
#include "shared/kube/object.h"

namespace pgc::kube {

struct ServerUrl {
  bool tls = true;
  std::string host;  // an IPv6 address without its brackets
  int port = 443;
  std::string path;  // "" or "/prefix", no slash at the end
};

// "https://host:port/prefix". Anything else is kConfiguration.
Result<ServerUrl> parse_server_url(std::string_view url);

// "/apis/apps/v1/namespaces/default/statefulsets"; with an empty `ns` that of all namespaces.
std::string collection_path(const ResourceType& type, std::string_view ns);
std::string object_path(const ObjectRef& ref, std::string_view subresource = {});

// RFC 3986, 2.1: all but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

using Query = std::vector<std::pair<std::string_view, std::string>>;

// "?a=1&b=2", percent-encoded; pairs with an empty value are left out. "" where none is left.
std::string query_string(const Query& query);

}  // namespace pgc::kube
