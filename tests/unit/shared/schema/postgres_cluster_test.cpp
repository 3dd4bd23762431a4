#include "shared/schema/postgres_cluster.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

TEST_CASE("the least of a PostgresCluster has its defaults as values") {
  const auto parsed = parse_postgres_cluster(cluster("{version: '16'}"));
  REQUIRE(parsed);
  PostgresCluster wanted;
  wanted.name = "my-db";
  wanted.version = 16;
  CHECK(*parsed == wanted);
}

TEST_CASE("every field of a PostgresCluster becomes a value") {
  Json object = cluster(R"(
replicas: 3.0
version: "17"
storage: {size: 1.5Gi, storageClass: fast, persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}
resources: {requests: {cpu: 1}, limits: {memory: 1Gi}}
postgresql: {parameters: {max_connections: 200, work_mem: 8MB}}
tls: {mode: Prefer}
)");
  object["metadata"]["namespace"] = "prod";
  object["metadata"]["uid"] = "u-1";
  object["metadata"]["generation"] = 7;
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const auto cluster = parse_postgres_cluster(object);
  REQUIRE(cluster);
  CHECK(cluster->ns == "prod");
  CHECK(cluster->uid == "u-1");
  CHECK(cluster->generation == 7);
  CHECK(cluster->deletion_timestamp == "2026-01-01T00:00:00Z");
  CHECK(cluster->replicas == 3);
  CHECK(cluster->version == 17);
  CHECK(cluster->storage.size == "1.5Gi");
  CHECK(cluster->storage.bytes == std::int64_t{1536} << 20);
  CHECK(cluster->storage.storage_class == "fast");
  CHECK(cluster->storage.when_scaled == RetentionPolicy::kRetain);
  CHECK(cluster->storage.when_deleted == RetentionPolicy::kDelete);
  CHECK(cluster->resources.requests == std::map<std::string, std::string>{{"cpu", "1"}});
  CHECK(cluster->resources.limits == std::map<std::string, std::string>{{"memory", "1Gi"}});
  CHECK(cluster->parameters ==
        std::map<std::string, std::string>{{"max_connections", "200"}, {"work_mem", "8MB"}});
  CHECK(cluster->tls_mode == TlsMode::kPrefer);
}

TEST_CASE("an object that is wrong does not become values") {
  const auto parsed = parse_postgres_cluster(cluster("{version: '16', replicas: 0}"));
  REQUIRE_FALSE(parsed);
  CHECK(texts(parsed.error()) ==
        std::vector<std::string>{"spec.replicas: Invalid value: 0: spec.replicas in body should be "
                                 "greater than or equal to 1"});
}

TEST_CASE("a stored number that no int holds is no value") {
  Json object = cluster("{version: '16', replicas: 3.0}");
  CHECK(values_of(object).replicas == 3);
  for (const double number : {5.1e293, -2147483649.0, 2147483648.0}) {
    object["spec"]["replicas"] = number;
    CHECK_THROWS_AS(values_of(object), std::logic_error);
  }
}
