#include <catch2/catch_test_macros.hpp>

#include "shared/schema/rules/rules.h"
#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

Verdict judge(const std::string& name, const Json& value) {
  Json object = cluster("{version: '16'}");
  object["spec"]["postgresql"]["parameters"][name] = value;
  apply_defaults(object);
  return check(object);
}

struct Case {
  std::string name;
  Json value;
  std::string error;  // without the path of the parameter
};

}  // namespace

TEST_CASE("parameters that PostgreSQL may have") {
  const Case cases[] = {
      {"max_connections", 200, {}},
      {"max_connections", "25", {}},
      {"work_mem", "8MB", {}},
      {"search_path", "\"$user\", public", {}},
      {"auto_explain.log_min_duration", "1s", {}},
      {"wal_level", "logical", {}},
      {"wal_log_hints", "on", {}},
      {"wal_keep_size", "1GB", {}},
      {"wal_keep_size", 16, {}},
      {"max_prepared_transactions", 0, {}},
      {"shared_buffers", "256MB", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.value.dump());
    const Verdict verdict = judge(c.name, c.value);
    CHECK(texts(verdict.errors).empty());
    CHECK(verdict.warnings.empty());
  }
}

TEST_CASE("parameters that are refused, and why") {
  const Case cases[] = {
      {"port", 5433, "Forbidden: is set by the operator; remove it"},
      {"Listen_Addresses", "*", "Forbidden: is set by the operator; remove it"},
      {"hot_standby", "off",
       "Forbidden: belongs to Patroni, which runs replication and failover; remove it"},
      {"archive_command", "true",
       "Forbidden: is set for backups and recovery by the operator; remove it"},
      {"ssl", "off", "Forbidden: is set by the operator; use spec.tls"},
      {"logging_collector", "on",
       "Forbidden: is set by the operator: the log goes to the output of the pod; remove it"},
      {"max_connections", 10,
       "Invalid value: 10: must be at least 25: below that Patroni runs with 100 instead"},
      {"max_connections", "many", "Invalid value: \"many\": must be a whole number"},
      {"max_wal_senders", "2",
       "Invalid value: \"2\": must be at least 3: below that Patroni runs with 10 instead"},
      {"max_replication_slots", 3,
       "Invalid value: 3: must be at least 4: below that Patroni runs with 10 instead"},
      {"max_worker_processes", 1,
       "Invalid value: 1: must be at least 2: below that Patroni runs with 8 instead"},
      {"max_locks_per_transaction", 31,
       "Invalid value: 31: must be at least 32: below that Patroni runs with 64 instead"},
      {"max_prepared_transactions", -1,
       "Invalid value: -1: must be at least 0: below that Patroni runs with 0 instead"},
      {"wal_keep_size", "8MB",
       "Invalid value: \"8MB\": must be at least 16MB: below that Patroni runs with 128MB instead"},
      {"wal_keep_size", "much",
       "Invalid value: \"much\": must be an amount of memory, such as 512MB"},
      {"wal_level", "minimal",
       "Unsupported value: \"minimal\": supported values: \"replica\", \"logical\""},
      {"wal_log_hints", "off",
       "Invalid value: \"off\": must be \"on\", or absent: without it a former primary cannot be "
       "rewound"},
      {"shared_buffers", "256M",
       "Invalid value: \"256M\": must be an amount of memory of at least 128kB, such as 256MB"},
      {"work_mem", "8MB\nport = 1",
       "Invalid value: \"8MB\\nport = 1\": must be one line without control characters"},
      {"work_mem", std::string("8MB\0x", 5),
       "Invalid value: \"8MB\\x00x\": must be one line without control characters"},
      {"work_mem", "8MB' port = '1",
       "Invalid value: \"8MB' port = '1\": must not contain a single quote; leave out the quotes "
       "that postgresql.conf "
       "needs"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.value.dump());
    CHECK(texts(judge(c.name, c.value).errors) ==
          std::vector<std::string>{"spec.postgresql.parameters." + c.name + ": " + c.error});
  }
}

TEST_CASE("names that are no names of parameters are refused") {
  for (const char* name :
       {"", "work mem", "a\nport", "a'b", "1a", "a.", ".a", "a.b.c", "a=b", "a-b", "a#"}) {
    CAPTURE(name);
    const Verdict verdict = judge(name, 1);
    REQUIRE(verdict.errors.size() == 1);
    CHECK(to_string(verdict.errors.front()) ==
          "spec.postgresql.parameters: Invalid value: " + printed(name) +
              ": must be the name of a parameter: letters, digits, '_' and '$', with at most one "
              "'.'");
  }
}

TEST_CASE("one parameter cannot be given twice in different case") {
  Json object =
      cluster("{version: '16', postgresql: {parameters: {Work_Mem: 8MB, work_mem: 9MB}}}");
  apply_defaults(object);
  CHECK(texts(check(object).errors) ==
        std::vector<std::string>{
            "spec.postgresql.parameters.work_mem: Duplicate value: \"work_mem\""});
}

TEST_CASE("shared_buffers without a unit is legal, but seldom meant") {
  const Verdict verdict = judge("shared_buffers", 256);
  CHECK(verdict.ok());
  CHECK(verdict.warnings ==
        std::vector<std::string>{"spec.postgresql.parameters.shared_buffers: without a unit it "
                                 "counts blocks of 8 kB; write 2048kB if that is meant"});
  CHECK(verdict.warnings.front().size() <= 120);
}
