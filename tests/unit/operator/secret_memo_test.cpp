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

double none() {
  return 0;
}

TEST_CASE("a Secret that was there is not read again, and its content is not kept") {
  test::FakeClient server;
  server.gets = {kSecret};
  SecretMemo memo(server, none);
  REQUIRE(memo.get(kApp));
  const auto again = memo.get(kApp);
  REQUIRE(again);
  CHECK(again->name() == "my-db-app");
  CHECK(again->ns() == "shop");
  CHECK_FALSE(again->json().contains("data"));
  CHECK(server.got.size() == 1);
}

TEST_CASE("a Secret that can't be read is asked for each time") {
  test::FakeClient server;
  server.gets = {missing(ErrorKind::kForbidden), missing(ErrorKind::kForbidden), kSecret};
  SecretMemo memo(server, none);
  CHECK(memo.get(kApp).error().is(ErrorKind::kForbidden));
  CHECK(memo.get(kApp).error().is(ErrorKind::kForbidden));
  CHECK(memo.get(kApp));
  CHECK(server.got.size() == 3);
}

TEST_CASE("a Secret that is missing is asked for once a minute, and not once we have made it") {
  using namespace std::chrono_literals;
  test::FakeClient server;
  server.gets = {missing(ErrorKind::kNotFound), missing(ErrorKind::kNotFound), kSecret};
  SecretMemo::TimePoint now{1000h};
  SecretMemo memo(server, none, [&] { return now; });
  CHECK(memo.get(kApp).error().is(ErrorKind::kNotFound));
  now += 59s;
  CHECK(memo.get(kApp).error().is(ErrorKind::kNotFound));
  CHECK(server.got.size() == 1);
  CHECK_FALSE(memo.good_until({"shop", "my-db"}));  // nobody need look at it for that
  CHECK(memo.known({"shop", "my-db"}).empty());
  SECTION("in the end") {
    now += 2s;
    CHECK(memo.get(kApp).error().is(ErrorKind::kNotFound));
    CHECK(server.got.size() == 2);
  }
  SECTION("because the cluster has changed") {
    memo.forget({"shop", "my-db"});
    CHECK(memo.get(kApp).error().is(ErrorKind::kNotFound));
    CHECK(server.got.size() == 2);
  }
  SECTION("made by us") {
    memo.saw("shop", "my-db-app");
    CHECK(memo.get(kApp));
    CHECK(server.got.size() == 1);
  }
}

TEST_CASE("a forgotten cluster is read anew, others of the namespace are not") {
  test::FakeClient server;
  server.gets = {kSecret};
  SecretMemo memo(server, none);
  REQUIRE(memo.get(kApp));
  memo.forget({"shop", "my"});
  memo.forget({"shop", "other"});
  memo.forget({"bank", "my-db"});
  REQUIRE(memo.get(kApp));
  CHECK(server.got.size() == 2);  // those of `my` might be called so
  memo.forget({"shop", "my-db"});
  server.gets = {missing(ErrorKind::kNotFound)};
  CHECK(memo.get(kApp).error().is(ErrorKind::kNotFound));
}

TEST_CASE("what is remembered is looked at again after 8 to 12 minutes") {
  using namespace std::chrono_literals;
  for (const double random : {0.0, 0.999}) {
    test::FakeClient server;
    server.gets = {kSecret};
    SecretMemo::TimePoint now{1000h};
    SecretMemo memo(server, [&] { return random; }, [&] { return now; });
    REQUIRE(memo.get(kApp));
    const auto until = memo.good_until({"shop", "my-db"});
    REQUIRE(until);
    CHECK(*until >= now + 8min);
    CHECK(*until <= now + 12min);
    now = *until - 1s;
    REQUIRE(memo.get(kApp));
    CHECK(server.got.size() == 1);
    now = *until;
    REQUIRE(memo.get(kApp));
    CHECK(server.got.size() == 2);
  }
}

TEST_CASE("a Secret that we have just made is known without a read") {
  test::FakeClient server;
  SecretMemo memo(server, none);
  CHECK_FALSE(memo.good_until({"shop", "my-db"}));
  memo.saw("shop", "my-db-app");
  memo.saw("shop", "other-app");
  CHECK(memo.get(kApp));
  CHECK(server.got.empty());
  CHECK(memo.known({"shop", "my-db"}) == std::set<std::string>{"my-db-app"});
}

TEST_CASE("Secrets are never listed") {
  test::FakeClient server;
  SecretMemo memo(server, none);
  CHECK(memo.list(kube::kSecrets, {}).error().is(ErrorKind::kForbidden));
  CHECK(server.listed.empty());
}

}  // namespace
}  // namespace pgc
