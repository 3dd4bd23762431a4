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
      {"checkpoint_completion_target", "0.9", {}},
      {"log_line_prefix", "it's %m \\ ", {}},
      {"wal_compression", "zstd", {}},
      {"synchronous_commit", "true", {}},
      {"huge_pages", "try", {}},
      {"shared_preload_libraries", "pg_stat_statements, \"auto_explain\"", {}},
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
      {"max_prepared_transactions", -1, "Invalid value: -1: must be from 0 to 262143"},
      {"wal_keep_size", "8MB",
       "Invalid value: \"8MB\": must be at least 16MB: below that Patroni runs with 128MB instead"},
      {"wal_keep_size", "much",
       "Invalid value: \"much\": must be an amount of memory, such as 64MB; the units are B, kB, "
       "MB, "
       "GB and TB"},
      {"wal_level", "minimal",
       "Invalid value: \"minimal\": must be \"replica\" or \"logical\": members replicate by WAL"},
      {"wal_level", "archive",
       "Unsupported value: \"archive\": supported values: \"minimal\", \"replica\", \"logical\""},
      {"wal_log_hints", "off",
       "Invalid value: \"off\": must be \"on\", or absent: without it a former primary cannot be "
       "rewound"},
      {"shared_buffers", "256M",
       "Invalid value: \"256M\": must be an amount of memory, such as 64MB; the units are B, kB, "
       "MB, "
       "GB and TB"},
      {"work_mem", "8MB\nport = 1",
       "Invalid value: \"8MB\\nport = 1\": must be one line of UTF-8 without control characters"},
      {"work_mem", std::string("8MB\0x", 5),
       "Invalid value: \"8MB\\x00x\": must be one line of UTF-8 without control characters"},
      {"work_mem", "8MB' port = '1",
       "Invalid value: \"8MB' port = '1\": must be an amount of memory, such as 64MB; the units "
       "are "
       "B, kB, MB, GB and TB"},
      {"shared_bufers", "1GB",
       "Not found: \"shared_bufers\": PostgreSQL 16 has no parameter of this name; did you mean "
       "shared_buffers?"},
      {"summarize_wal", "on",
       "Not found: \"summarize_wal\": PostgreSQL 16 has no parameter of this name; PostgreSQL 17 "
       "has"},
      {"qqqqqqqqq", "1", "Not found: \"qqqqqqqqq\": PostgreSQL 16 has no parameter of this name"},
      {"include", "/etc/passwd",
       "Not found: \"include\": PostgreSQL 16 has no parameter of this name"},
      {"block_size", 8192,
       "Forbidden: tells a property of the server and cannot be set; remove it"},
      {"transaction_read_only", "on",
       "Forbidden: is of each session and cannot stand in a configuration; remove it"},
      {"autovacuum", "maybe", "Invalid value: \"maybe\": must be \"on\" or \"off\""},
      {"jit", "tru",
       "Invalid value: \"tru\": must be written out, \"on\": Patroni drops what is shortened"},
      {"max_files_per_process", "0X400",
       "Invalid value: \"0X400\": must be a plain decimal number: Patroni drops this spelling"},
      {"wal_compression", "gzip",
       "Unsupported value: \"gzip\": supported values: \"pglz\", \"lz4\", \"zstd\", \"on\", "
       "\"off\""},
      {"password_encryption", "md5",
       "Invalid value: \"md5\": must be \"scram-sha-256\", or absent: pg_hba lets in no other "
       "password"},
      {"vacuum_buffer_usage_limit", "64kB",
       "Invalid value: \"64kB\": must be 0, or from 128kB to 16GB"},
      {"superuser_reserved_connections", 100,
       "Invalid value: 100: PostgreSQL does not start unless max_connections (100) is more than "
       "100, "
       "superuser_reserved_connections and reserved_connections together"},
      {"max_connections", 262142,
       "Invalid value: 262142: PostgreSQL does not start with more than 262142 for "
       "max_connections, "
       "max_worker_processes, max_wal_senders and autovacuum_max_workers together; here they are "
       "262163"},
      {"min_wal_size", "16MB",
       "Invalid value: \"16MB\": must be at least 32MB, two segments of WAL, or PostgreSQL does "
       "not "
       "start"},
      {"ssl_max_protocol_version", "TLSv1",
       "Invalid value: \"TLSv1\": must not be below ssl_min_protocol_version, or PostgreSQL does "
       "not "
       "start"},
      {"max_wal_size", "10GB",
       "Invalid value: \"10GB\": must be less than spec.storage.size, 10Gi: WAL lies on the same "
       "volume "
       "and would fill it"},
      {"huge_pages", "on",
       "Invalid value: \"on\": needs a limit for huge pages, such as hugepages-2Mi, of more than "
       "the "
       "shared_buffers of 128Mi; or write try"},
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

TEST_CASE("values that are legal, but seldom meant") {
  struct Advice {
    std::string name;
    Json value;
    std::string warning;  // without the path of the parameter
  };
  const Advice cases[] = {
      {"shared_buffers", 256,
       "without a unit it counts blocks of 8 kB; write 2MB if that is meant"},
      {"fsync", "off", "off can lose the whole cluster's data in one crash of a node"},
      {"autovacuum", "no", "off lets tables bloat, and transaction ids run out"},
      {"shared_preload_libraries", "pg_cron",
       "PostgreSQL does not start without pg_cron in its image"},
      {"shared_preload_libraries", "pg_stat_statments", "did you mean pg_stat_statements?"},
      {"auto_explain.log_min_durations", "1s", "did you mean auto_explain.log_min_duration?"},
      {"pg_trgm.zzzzzzzzzzzzzzzzzzzzzzzz", "1s", "is unknown to that extension"},
      {"cron.database_name", "app", "has an effect only if an extension of that name is loaded"},
      {"max_parallel_workers", 9, "no more than max_worker_processes, 8, are ever used"},
  };
  for (const Advice& c : cases) {
    CAPTURE(c.name, c.value.dump());
    const Verdict verdict = judge(c.name, c.value);
    CHECK(texts(verdict.errors).empty());
    CHECK(verdict.warnings ==
          std::vector<std::string>{"spec.postgresql.parameters." + c.name + ": " + c.warning});
    for (const std::string& warning : verdict.warnings) CHECK(warning.size() <= 120);
  }
}

TEST_CASE("what YAML took for a boolean or a number is to be quoted") {
  const auto last_error = [](const Json& value) {
    const Verdict verdict = judge("wal_log_hints", value);
    REQUIRE_FALSE(verdict.ok());
    return to_string(verdict.errors.back());
  };
  CHECK(last_error(true) ==
        "spec.postgresql.parameters.wal_log_hints: Invalid value: true: must be in quotes, \"on\": "
        "without them YAML makes a boolean of it");
  CHECK(
      last_error(0.5) ==
      "spec.postgresql.parameters.wal_log_hints: Invalid value: 0.5: must be in quotes, \"0.5\": a "
      "number with a fraction is a string here");
}

TEST_CASE("the parameters are those of the wanted major") {
  Json old = cluster("{version: '16', postgresql: {parameters: {old_snapshot_threshold: 1h}}}");
  apply_defaults(old);
  CHECK(check(old).ok());
  Json object = old;
  object["spec"]["version"] = "17";
  CHECK(texts(check(object, &old).errors) ==
        std::vector<std::string>{"spec.postgresql.parameters.old_snapshot_threshold: Not found: "
                                 "\"old_snapshot_threshold\": "
                                 "PostgreSQL 17 has no parameter of this name; PostgreSQL 16 has"});
}

TEST_CASE("parameters that are right one by one, and not together") {
  const auto judged = [](std::string_view parameters) {
    Json object =
        cluster("{version: '17', postgresql: {parameters: " + std::string(parameters) + "}}");
    apply_defaults(object);
    return texts(check(object).errors);
  };
  CHECK(judged("{min_wal_size: 1GB, max_wal_size: 2GB}").empty());
  CHECK(judged("{min_wal_size: 2GB, max_wal_size: 2GB}").size() == 1);
  CHECK(judged("{log_statement_stats: 'on', log_parser_stats: 'on'}").size() == 1);
  CHECK(judged("{sync_replication_slots: 'on'}").size() == 2);
  CHECK(judged("{sync_replication_slots: 'on', hot_standby_feedback: 'on', wal_level: logical}")
            .empty());
  CHECK(judged("{ssl_min_protocol_version: TLSv1.3, ssl_max_protocol_version: TLSv1.2}").size() ==
        1);
  CHECK(judged("{ssl_min_protocol_version: TLSv1.3, ssl_max_protocol_version: TLSv1.3}").empty());
  CHECK(judged("{max_connections: 50, reserved_connections: 47}").size() == 1);
}

TEST_CASE("many mistakes are all told, in a stable order") {
  const Verdict verdict = [] {
    Json object = cluster(
        "{version: '16', resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}, postgresql: "
        "{parameters: {work_mem: x, port: 1, shared_bufers: 1GB}}}",
        "-");
    apply_defaults(object);
    return check(object);
  }();
  std::vector<std::string> fields;
  for (const FieldError& error : verdict.errors) fields.push_back(error.field);
  CHECK(fields == std::vector<std::string>{"metadata.name", "spec.resources.requests.memory",
                                           "spec.postgresql.parameters.port",
                                           "spec.postgresql.parameters.shared_bufers",
                                           "spec.postgresql.parameters.work_mem"});
}
