#include "shared/kube/proxy.h"

#include <catch2/catch_test_macros.hpp>
#include <map>

namespace pgc::kube {
namespace {

TEST_CASE("a proxy's URL has a host, and maybe a port and who we are") {
  struct Case {
    const char* url;
    const char* host;
    int port;
    const char* user = "";
    const char* password = "";
  };
  for (const Case& c :
       {Case{"http://proxy:3128", "proxy", 3128}, Case{"proxy:3128", "proxy", 3128},
        Case{"HTTP://proxy", "proxy", 80}, Case{"http://proxy/", "proxy", 80},
        Case{"http://[::1]:8080", "::1", 8080}, Case{"http://me@proxy", "proxy", 80, "me"},
        Case{"http://me:p%40ss%3a@proxy:1", "proxy", 1, "me", "p@ss:"}}) {
    CAPTURE(c.url);
    const auto proxy = parse_proxy_url(c.url, "HTTPS_PROXY");
    REQUIRE(proxy);
    CHECK(proxy->host == c.host);
    CHECK(proxy->port == c.port);
    CHECK(proxy->username == c.user);
    CHECK(proxy->password == c.password);
  }
}

TEST_CASE("a proxy that we can't speak to is refused in one line, without its password") {
  for (const char* url : {"socks5://me:secret@proxy:1080", "https://me:secret@proxy", "http://",
                          "http://me:secret@", "http://me:secret@proxy:port", "ftp://proxy"}) {
    CAPTURE(url);
    const auto proxy = parse_proxy_url(url, "HTTPS_PROXY");
    REQUIRE_FALSE(proxy);
    CHECK(proxy.error().is(ErrorKind::kConfiguration));
    CHECK(proxy.error().message.starts_with("HTTPS_PROXY: "));
    CHECK(proxy.error().message.find("secret") == std::string::npos);
  }
  CHECK(parse_proxy_url("socks5://proxy", "proxy-url").error().message ==
        "proxy-url: not supported: a proxy by socks5; give one by http, which can carry TLS as "
        "well");
}

TEST_CASE("NO_PROXY names hosts, suffixes, addresses, networks and ports") {
  struct Case {
    const char* list;
    const char* host;
    int port;
    bool without;
  };
  for (const Case& c : {
           Case{"", "example.com", 443, false},
           Case{"*", "example.com", 443, true},
           Case{"example.com", "example.com", 443, true},
           Case{"example.com", "api.example.com", 443, true},
           Case{"example.com", "notexample.com", 443, false},
           Case{"EXAMPLE.com", "Example.COM", 443, true},
           Case{".example.com", "example.com", 443, false},
           Case{".example.com", "api.example.com", 443, true},
           Case{"*.example.com", "api.example.com", 443, true},
           Case{"*.example.com", "example.com", 443, false},
           Case{"a, example.com ,b", "example.com", 443, true},
           Case{"example.com:443", "example.com", 443, true},
           Case{"example.com:80", "example.com", 443, false},
           Case{"10.0.0.1", "10.0.0.1", 443, true},
           Case{"10.0.0.1:6443", "10.0.0.1", 6443, true},
           Case{"10.0.0.1:6443", "10.0.0.1", 443, false},
           Case{"10.0.0.1", "10.0.0.10", 443, false},
           Case{"10.0.0.0/8", "10.200.0.1", 443, true},
           Case{"10.0.0.0/8", "11.0.0.1", 443, false},
           Case{"10.128.0.0/9", "10.127.0.1", 443, false},
           Case{"0.0.0.0/0", "1.2.3.4", 443, true},
           Case{"10.0.0.0/8", "example.com", 443, false},
           Case{"10.0.0.0/33", "10.0.0.1", 443, false},
           Case{"2001:db8::/32", "2001:db8:1::7", 443, true},
           Case{"2001:db8::/32", "2001:db9::7", 443, false},
           Case{"2001:db8::7", "2001:db8:0:0:0:0:0:7", 443, true},
           Case{"[2001:db8::7]:443", "2001:db8::7", 443, true},
           Case{"[2001:db8::7]:80", "2001:db8::7", 443, false},
           Case{"::ffff:10.0.0.1", "10.0.0.1", 443, true},
           Case{"", "localhost", 443, true},
           Case{"", "127.0.0.1", 443, true},
           Case{"", "127.8.8.8", 443, true},
           Case{"", "::1", 443, true},
           Case{"", "128.0.0.1", 443, false},
           Case{",,  ,:443,[", "example.com", 443, false},
       }) {
    CAPTURE(c.list, c.host, c.port);
    CHECK(goes_without_proxy(c.list, c.host, c.port) == c.without);
  }
}

std::string chosen(const std::string& of_kubeconfig, const std::string& server,
                   const std::map<std::string, std::string>& variables) {
  const auto proxy =
      choose_proxy(of_kubeconfig, parse_server_url(server).value(),
                   [&](const std::string& name) -> std::optional<std::string> {
                     const auto found = variables.find(name);
                     return found == variables.end() ? std::nullopt : std::optional(found->second);
                   });
  if (!proxy) return proxy.error().message;
  return *proxy ? (*proxy)->host : "none";
}

TEST_CASE("the kubeconfig's proxy wins, then the variable of the server's scheme") {
  const std::map<std::string, std::string> both{{"HTTPS_PROXY", "http://tls"},
                                                {"http_proxy", "http://plain"}};
  CHECK(chosen("", "https://api", both) == "tls");
  CHECK(chosen("", "http://api", both) == "plain");
  CHECK(chosen("http://own", "https://api", both) == "own");
  CHECK(chosen("", "https://api", {}) == "none");
  CHECK(chosen("", "https://api", {{"HTTP_PROXY", "http://plain"}}) == "none");
}

TEST_CASE("NO_PROXY is about the proxies of the environment alone") {
  const std::map<std::string, std::string> variables{{"https_proxy", "http://tls"},
                                                     {"no_proxy", "api"}};
  CHECK(chosen("", "https://api", variables) == "none");
  CHECK(chosen("", "https://other", variables) == "tls");
  CHECK(chosen("http://own", "https://api", variables) == "own");
  CHECK(chosen("", "https://api", {{"HTTPS_PROXY", "socks5://x"}, {"NO_PROXY", "api"}}) == "none");
  CHECK(chosen("", "https://api", {{"HTTPS_PROXY", "socks5://x"}}).starts_with("HTTPS_PROXY: "));
}

}  // namespace
}  // namespace pgc::kube
