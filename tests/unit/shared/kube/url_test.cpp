#include "shared/kube/url.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::kube {
namespace {

struct Good {
  const char* url;
  bool tls;
  const char* host;
  int port;
  const char* path;
};

TEST_CASE("the URL of a server is taken apart") {
  for (const Good& c : {
           Good{"https://10.0.0.1:6443", true, "10.0.0.1", 6443, ""},
           Good{"https://api.example.com", true, "api.example.com", 443, ""},
           Good{"https://api.example.com/", true, "api.example.com", 443, ""},
           Good{"https://rancher.example.com/k8s/clusters/c-1/", true, "rancher.example.com", 443,
                "/k8s/clusters/c-1"},
           Good{"https://[fd00::1]:6443/x", true, "fd00::1", 6443, "/x"},
           Good{"https://[::1]", true, "::1", 443, ""},
           Good{"http://127.0.0.1:8001", false, "127.0.0.1", 8001, ""},
           Good{"http://127.0.0.1", false, "127.0.0.1", 80, ""},
       }) {
    CAPTURE(c.url);
    const auto url = parse_server_url(c.url);
    REQUIRE(url);
    CHECK(url->tls == c.tls);
    CHECK(url->host == c.host);
    CHECK(url->port == c.port);
    CHECK(url->path == c.path);
  }
}

TEST_CASE("what is no URL of a server is told, with an example") {
  for (const char* text :
       {"", "https://", "https:///x", "https://:6443", "https://host:", "https://host:0",
        "https://host:65536", "https://host:64x", "https://host:-1", "https://[::1", "https://[]:1",
        "https://[::1]6443", "ftp://host", "https://user:pass@host"}) {
    CAPTURE(text);
    const auto url = parse_server_url(text);
    REQUIRE_FALSE(url);
    CHECK(url.error().is(ErrorKind::kConfiguration));
    CHECK(url.error().message.find("https://10.0.0.1:6443") != std::string::npos);
  }
}

TEST_CASE("a password in a URL that is none is not shown") {
  const auto url = parse_server_url("https://me:secret@host:port");
  REQUIRE_FALSE(url);
  CHECK(url.error().message.find("secret") == std::string::npos);
}

TEST_CASE("paths of collections and objects") {
  CHECK(collection_path(kPods, "shop") == "/api/v1/namespaces/shop/pods");
  CHECK(collection_path(kPods, "") == "/api/v1/pods");
  CHECK(collection_path(kStatefulSets, "shop") == "/apis/apps/v1/namespaces/shop/statefulsets");
  CHECK(collection_path(kValidatingWebhooks, "ignored") ==
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations");
  CHECK(object_path({kPostgresClusters, "shop", "my-db"}) ==
        "/apis/db.example.com/v1/namespaces/shop/postgresclusters/my-db");
  CHECK(object_path({kPostgresClusters, "shop", "my-db"}, "status") ==
        "/apis/db.example.com/v1/namespaces/shop/postgresclusters/my-db/status");
}

TEST_CASE("a name cannot break out of its path") {
  CHECK(object_path({kSecrets, "a/b", "../x?y#z"}) ==
        "/api/v1/namespaces/a%2Fb/secrets/..%2Fx%3Fy%23z");
}

TEST_CASE("queries are percent-encoded, and empty values left out") {
  CHECK(query_string({}).empty());
  CHECK(query_string({{"force", ""}}).empty());
  CHECK(query_string({{"force", ""}, {"labelSelector", "a=b,c/d=e f"}, {"watch", "1"}}) ==
        "?labelSelector=a%3Db%2Cc%2Fd%3De%20f&watch=1");
  CHECK(query_string({{"x", "\xc3\xbc&"}}) == "?x=%C3%BC%26");
}

}  // namespace
}  // namespace pgc::kube
