// Which proxy the way to the API server goes through. Pure.
//
// As Go's http.ProxyFromEnvironment and therefore kubectl: the kubeconfig's proxy-url, else
// HTTPS_PROXY or HTTP_PROXY by the server's scheme, also in lower case, but for what NO_PROXY
// names. https://pkg.go.dev/golang.org/x/net/http/httpproxy
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "shared/kube/error.h"
#include "shared/kube/url.h"

namespace pgc::kube {

// Speaks HTTP, with CONNECT for a server that speaks TLS.
struct Proxy {
  std::string host;  // an IPv6 address without its brackets
  int port = 80;
  std::string username = {};
  std::string password = {};
};

// "http://user:password@host:port", or "host:port". What we can't speak, such as socks5 and TLS to
// the proxy itself, is refused with kConfiguration; `where` says in the message where it stands.
// The password is in no message.
Result<Proxy> parse_proxy_url(std::string_view url, std::string_view where);

// Whether NO_PROXY, a list separated by commas, names this host and port: "*", names with all that
// ends in them, ".suffixes" that don't name the host itself, addresses and CIDRs, each with ":port"
// or without. localhost and loopback addresses never go through a proxy of the environment.
bool goes_without_proxy(std::string_view no_proxy, std::string_view host, int port);

// `proxy_url` is that of the kubeconfig.
Result<std::optional<Proxy>> choose_proxy(
    const std::string& proxy_url, const ServerUrl& server,
    const std::function<std::optional<std::string>(const std::string&)>& environment);

}  // namespace pgc::kube
