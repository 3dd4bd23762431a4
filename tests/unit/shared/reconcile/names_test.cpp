#include "shared/reconcile/names.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::reconcile {
namespace {

const Names kNames{"my-db"};

// These are promises: users and older versions of the operator know the objects by them.
TEST_CASE("every part of a cluster has its name") {
  CHECK(kNames.instance(1) == "my-db-1");
  CHECK(kNames.pod(12) == "my-db-12-0");
  CHECK(kNames.data_volume(1) == "my-db-1-pgdata");
  CHECK(kNames.read_write_service() == "my-db-rw");
  CHECK(kNames.read_only_service() == "my-db-ro");
  CHECK(kNames.pods_service() == "my-db-pods");
  CHECK(kNames.patroni_config() == "my-db-patroni");
  CHECK(kNames.patroni_scope() == "my-db-ha");
  CHECK(kNames.patroni_object("leader") == "my-db-ha-leader");
  CHECK(kNames.service_account() == "my-db-instance");
  CHECK(kNames.superuser_secret() == "my-db-superuser");
  CHECK(kNames.replication_secret() == "my-db-replication");
  CHECK(kNames.rewind_secret() == "my-db-rewind");
  CHECK(kNames.app_secret() == "my-db-app");
  CHECK(kNames.ca_secret() == "my-db-ca");
  CHECK(kNames.server_tls_secret() == "my-db-server-tls");
  CHECK(kNames.disruption_budget() == "my-db");
}

TEST_CASE("the number of an instance is read from its exact name alone") {
  CHECK(kNames.instance_number("my-db-1") == 1);
  CHECK(kNames.instance_number("my-db-16") == 16);
  for (const char* name : {"", "my-db", "my-db-", "my-db-0", "my-db-01", "my-db--1", "my-db-+1",
                           "my-db-1-0", "my-db-1x", "my-db-x", "my-db-2147483648",
                           "my-db-99999999999999999999", "other-1", "my-db-2-1"}) {
    CAPTURE(name);
    CHECK(kNames.instance_number(name) == 0);
  }
}

TEST_CASE("a cluster named like another one's instance is told apart from it") {
  const Names longer{"my-db-1"};
  CHECK(longer.instance(2) == "my-db-1-2");
  CHECK(kNames.instance_number(longer.instance(2)) == 0);
  CHECK(longer.instance_number(kNames.instance(1)) == 0);
}

TEST_CASE("selectors select by the labels that objects get") {
  CHECK(kNames.selector() == "app.kubernetes.io/managed-by=pgc,db.example.com/cluster=my-db");
  CHECK(kNames.pod_selector() == "db.example.com/cluster=my-db,db.example.com/patroni=my-db-ha");
  CHECK(kNames.labels().at("app.kubernetes.io/managed-by") == "pgc");
  CHECK(kNames.labels().at("db.example.com/cluster") == "my-db");
}

}  // namespace
}  // namespace pgc::reconcile
