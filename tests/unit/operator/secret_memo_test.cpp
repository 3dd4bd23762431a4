#include "operator/secret_memo.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/fake_client.h"

namespace pgc {
namespace {

using kube::ErrorKind;
using kube::Object;

const kube::ObjectRef kApp{kube::kSecrets, "shop", "my-db-app"};
const Object kSecret(kube::Json::parse(
    R"({"metadata": {"name": "my-db-app", "namespace": "shop"}, "data": {"password": "c2VjcmV0"}})"));

kube::Result<Object> missing(ErrorKind kind) {
  return std::unexpected(kube::Error{.kind = kind});
}

TEST_CASE("a Secret that was there is not read again, and its content is not kept") {
  test::FakeClient server;
  server.gets = {kSecret};
  SecretMemo memo(server);
  REQUIRE(memo.get(kApp));
  const auto again = memo.get(kApp);
  REQUIRE(again);
  CHECK(again->name() == "my-db-app");
  CHECK(again->ns() == "shop");
  CHECK_FALSE(again->json().contains("data"));
  CHECK(server.got.size() == 1);
}

TEST_CASE("a Secret that is missing or can't be read is asked for each time") {
  for (const ErrorKind kind : {ErrorKind::kNotFound, ErrorKind::kForbidden}) {
    test::FakeClient server;
    server.gets = {missing(kind), missing(kind), kSecret};
    SecretMemo memo(server);
    CHECK(memo.get(kApp).error().is(kind));
    CHECK(memo.get(kApp).error().is(kind));
    CHECK(memo.get(kApp));
    CHECK(server.got.size() == 3);
  }
}

TEST_CASE("a forgotten namespace is read anew, others are not") {
  test::FakeClient server;
  server.gets = {kSecret};
  SecretMemo memo(server);
  REQUIRE(memo.get(kApp));
  memo.forget("bank");
  REQUIRE(memo.get(kApp));
  CHECK(server.got.size() == 1);
  memo.forget("shop");
  server.gets = {missing(ErrorKind::kNotFound)};
  CHECK(memo.get(kApp).error().is(ErrorKind::kNotFound));
}

TEST_CASE("Secrets are never listed") {
  test::FakeClient server;
  SecretMemo memo(server);
  CHECK(memo.list(kube::kSecrets, {}).error().is(ErrorKind::kForbidden));
  CHECK(server.listed.empty());
}

}  // namespace
}  // namespace pgc
