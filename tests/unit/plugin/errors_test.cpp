#include "plugin/errors.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::plugin {
namespace {

using kube::ErrorKind;

const Subject kSubject{.name = "my-db", .server = "https://10.0.0.1:6443/prefix"};

std::string shown(int code, const std::string& body) {
  return error_text(kube::error_from_answer(code, body), kSubject);
}

TEST_CASE("the server's refusals are shown as kubectl shows them") {
  CHECK(
      shown(
          404,
          R"({"kind":"Status","reason":"NotFound","message":"postgresclusters.db.example.com \"my-db\" not found"})") ==
      "Error from server (NotFound): postgresclusters.db.example.com \"my-db\" not found\n");
  CHECK(shown(403, R"({"kind":"Status","reason":"Forbidden","message":"not for you"})") ==
        "Error from server (Forbidden): not for you\n");
  CHECK(shown(401, R"({"kind":"Status","reason":"Unauthorized","message":"Unauthorized"})") ==
        "error: You must be logged in to the server (Unauthorized)\n");
  CHECK(shown(500, "<html>\nproxy") == "Error from server: the server answered 500: <html>\n");
}

TEST_CASE("a missing CRD is told from a missing object") {
  CHECK(shown(404, "404 page not found\n") ==
        "error: the server doesn't have a resource type \"postgresclusters\"\n"
        "hint: pgc is not installed in this cluster; from a copy of its repository: kubectl apply "
        "-k manifests\n");
}

TEST_CASE("an invalid object is shown with every cause, each once") {
  const std::string one = R"({"field":"spec.replicas","message":"Invalid value: 0: too few"})";
  const std::string two = R"({"field":"spec.version","message":"Required value"})";
  const auto body = [](const std::string& causes) {
    return R"({"kind":"Status","reason":"Invalid","message":"long","details":{"causes":[)" +
           causes + "]}}";
  };
  CHECK(shown(422, body(one)) ==
        "The PostgresCluster \"my-db\" is invalid: spec.replicas: Invalid value: 0: too few\n");
  CHECK(shown(422, body(one + "," + two + "," + one)) ==
        "The PostgresCluster \"my-db\" is invalid: \n"
        "* spec.replicas: Invalid value: 0: too few\n"
        "* spec.version: Required value\n");
  CHECK(shown(422, body("")) == "Error from server (Invalid): long\n");
}

TEST_CASE("a server that does not answer is named") {
  kube::Error error;
  error.kind = ErrorKind::kUnreachable;
  error.reason = kube::kConnectionRefused;
  CHECK(error_text(error, kSubject) ==
        "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host "
        "or port?\n");
  error.reason.clear();
  error.message = "SSL server verification failed";
  CHECK(error_text(error, kSubject) ==
        "Unable to connect to the server: SSL server verification failed\n");
}

TEST_CASE("nothing that a server says reaches the terminal as a command to it") {
  CHECK(shown(403,
              "{\"kind\":\"Status\",\"reason\":\"For\\u001bbidden\",\"message\":\"a\\u001b["
              "2Jb\\r\"}") == "Error from server (For^[bidden): a^[[2Jb\\r\n");
}

}  // namespace
}  // namespace pgc::plugin
