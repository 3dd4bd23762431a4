#include "shared/schema/rules/rules.h"

#include <catch2/catch_test_macros.hpp>

#include "shared/schema/rules/twins.h"
#include "tests/unit/shared/schema/schema_support.h"

using namespace pgc::schema;
using namespace pgc::schema::testing;

namespace {

Json stored(std::string_view spec, std::string_view name = "my-db") {
  Json object = cluster(spec, name);
  apply_defaults(object);
  return object;
}

std::vector<std::string> errors_of(std::string_view spec) {
  return texts(check(stored(spec)).errors);
}

struct Case {
  std::string_view spec;
  std::vector<std::string> errors;
};

void require_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(c.spec);
    CHECK(errors_of(c.spec) == c.errors);
  }
}

struct Update {
  std::string_view from;
  std::string_view to;
  std::vector<std::string> errors;
};

void require_all(const std::vector<Update>& updates) {
  for (const Update& update : updates) {
    CAPTURE(update.from, update.to);
    const Json old = stored(update.from);
    CHECK(texts(check(stored(update.to), &old).errors) == update.errors);
  }
}

constexpr std::string_view kClass =
    "spec.storage.storageClass: Invalid value: {}: cannot change once the cluster exists; keep the "
    "present value or "
    "restore into a new cluster";

std::string class_error(const std::string& value) {
  std::string text(kClass);
  return text.replace(text.find("{}"), 2, value);
}

std::string name_error(const std::string& name) {
  return "metadata.name: Invalid value: \"" + name +
         "\": must be at most 40 lower-case letters, digits and '-', begin with a letter and end "
         "with a letter or "
         "digit, such as my-db";
}

}  // namespace

TEST_CASE("the sample is right, and gets its defaults") {
  Json object = from_yaml(file("manifests/samples/my-db.yaml"));
  CHECK(unknown_fields(object).empty());
  apply_defaults(object);
  CHECK(texts(check(object).errors).empty());
  CHECK(object["spec"] ==
        from_yaml(
            "{replicas: 3, version: '16', storage: {size: 10Gi, "
            "persistentVolumeClaimRetentionPolicy: {whenScaled: Retain, whenDeleted: Retain}}}"));
}

TEST_CASE("the embedded CRD is the one in manifests, and small enough for kubectl apply") {
  CHECK(postgrescluster_crd() == file("manifests/crd/postgresclusters.yaml"));
  CHECK(from_yaml(postgrescluster_crd()).dump().size() < 262'144);
  const auto crd = parse_crd_yaml(postgrescluster_crd());
  REQUIRE(crd);
  CHECK(crd->plural + "." + crd->group == "postgresclusters.db.example.com");
  CHECK(crd->short_names == std::vector<std::string>{"pgc"});
}

TEST_CASE("the structure of a PostgresCluster") {
  require_all(std::vector<Case>{
      {"{version: '17', replicas: 16, storage: {size: 1, storageClass: fast}, tls: {mode: Prefer}}",
       {}},
      {"{version: '16', postgresql: {parameters: {max_connections: 200, work_mem: 8MB}}}", {}},
      {"{version: '16', replicas: 0}",
       {"spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to "
        "1"}},
      {"{version: '16', replicas: 17}",
       {"spec.replicas: Invalid value: 17: spec.replicas in body should be less than or equal to "
        "16"}},
      {"{version: '16', replicas: three}",
       {R"(spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string")"}},
      {"{version: '9.6'}",
       {R"(spec.version: Unsupported value: "9.6": supported values: "16", "17")"}},
      {"{version: 16}",
       {R"(spec.version: Invalid value: "integer": spec.version in body must be of type string: "integer")",
        R"(spec.version: Unsupported value: 16: supported values: "16", "17")"}},
      {"{replicas: 3}", {"spec.version: Required value"}},
      {"{version: '16', tls: {mode: Always}}",
       {R"(spec.tls.mode: Unsupported value: "Always": supported values: "Require", "Prefer")"}},
      {"{version: '16', postgresql: {parameters: {wal_log_hints: on}}}",
       {"spec.postgresql.parameters.wal_log_hints: Invalid value: \"boolean\": "
        "spec.postgresql.parameters.wal_log_hints in body must be of type integer,string: "
        "\"boolean\"",
        "spec.postgresql.parameters.wal_log_hints: Invalid value: true: must be in quotes, \"on\": "
        "without them YAML makes a boolean of it"}},
      {"{version: '16', storage: {storageClass: ''}}",
       {R"(spec.storage.storageClass: Invalid value: "": spec.storage.storageClass in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')"}},
  });
}

TEST_CASE("an object without a spec is refused") {
  Json object = cluster("{}");
  object["spec"] = nullptr;
  apply_defaults(object);
  CHECK(texts(check(object).errors) == std::vector<std::string>{"spec: Required value"});
}

TEST_CASE("a misspelt field is named") {
  CHECK(unknown_fields(cluster("{version: '16', replica: 3, storage: {Size: 1Gi}}")) ==
        std::vector<std::string>{"unknown field \"spec.replica\"",
                                 "unknown field \"spec.storage.Size\""});
}

TEST_CASE("the name makes the names of all parts") {
  for (std::string_view name : {"a", "my-db", "db1", "a1234567890123456789012345678901234567-9"}) {
    CAPTURE(name);
    CHECK(check(stored("{version: '16'}", name)).ok());
  }
  for (const char* name : {"1db", "-db", "db-", "my.db", "My-db", "my_db", "",
                           "a12345678901234567890123456789012345678-x"}) {
    CAPTURE(name);
    CHECK(texts(check(stored("{version: '16'}", name)).errors) ==
          std::vector<std::string>{name_error(name)});
  }
  Json generated = stored("{version: '16'}");
  generated["metadata"] = {{"generateName", "my-db-"}};
  CHECK(check(generated).ok());
  for (const char* prefix : {"1db-", "My-", "a23456789012345678901234567890123456"}) {
    generated["metadata"] = {{"generateName", prefix}};
    CHECK(texts(check(generated).errors) ==
          std::vector<std::string>{"metadata.generateName: Invalid value: \"" +
                                   std::string(prefix) +
                                   "\": must be at most 35 lower-case letters, digits and '-', and "
                                   "begin with a letter, such as my-db-"});
  }
}

TEST_CASE("the version goes up, never down") {
  require_all(std::vector<Update>{
      {"{version: '16'}", "{version: '17'}", {}},
      {"{version: '17'}", "{version: '17', replicas: 2}", {}},
      {"{version: '17'}",
       "{version: '16'}",
       {"spec.version: Invalid value: \"16\": cannot go down from 17: PostgreSQL does not read the "
        "files of a newer "
        "major; keep version \"17\" or restore into a new cluster"}},
  });
}

TEST_CASE("a major that does not run can be taken back") {
  const auto down = [](const Json& status, const char* to) {
    Json old = stored("{version: '17'}");
    old["status"] = status;
    Json object = stored("{version: '" + std::string(to) + "'}");
    object["status"] = status;
    return texts(check(object, &old).errors);
  };
  const std::vector<std::string> refused = {
      "spec.version: Invalid value: \"16\": cannot go down from 17: PostgreSQL does not read the "
      "files of a newer major; keep version \"17\" or restore into a new cluster"};
  CHECK(down({{"version", "16"}}, "16").empty());          // another one was asked for, and refused
  CHECK(down({{"phase", "NotAvailable"}}, "16").empty());  // nothing runs yet
  CHECK(down({{"version", "17"}}, "16") == refused);
  // What runs is told, not what was asked for.
  Json old = stored("{version: '17'}");
  old["status"] = {{"version", "16"}};
  old["spec"]["version"] = "18";
  Json object = stored("{version: '15'}");
  CHECK(texts(check_twins(object, &old)) ==
        std::vector<std::string>{
            "spec.version: Invalid value: \"15\": cannot go down from 16: PostgreSQL does not read "
            "the files of a newer major; keep version \"16\" or restore into a new cluster"});
}

TEST_CASE("storage grows, never shrinks, and keeps its class") {
  require_all(std::vector<Case>{
      {"{version: '16', storage: {size: 0}}",
       {"spec.storage.size: Invalid value: 0: must be a quantity greater than zero, such as 10Gi"}},
      {"{version: '16', storage: {size: -5Gi}}",
       {"spec.storage.size: Invalid value: \"-5Gi\": must be a quantity greater than zero, such as "
        "10Gi"}},
      {"{version: '16', storage: {size: 1e1.5}}",
       {"spec.storage.size: Invalid value: \"1e1.5\": must be a quantity greater than zero, such "
        "as 10Gi"}},
  });
  const std::string shrunk =
      "cannot shrink: the volumes have 10Gi, and volumes only grow; ask for 10Gi or more";
  require_all(std::vector<Update>{
      {"{version: '16'}", "{version: '16', storage: {size: 20Gi}}", {}},
      {"{version: '16'}", "{version: '16', storage: {size: 10240Mi}}", {}},
      {"{version: '16'}",
       "{version: '16', storage: {size: 5Gi}}",
       {"spec.storage.size: Invalid value: \"5Gi\": " + shrunk}},
      {"{version: '16'}",
       "{version: '16', storage: {size: 5}}",
       {"spec.storage.size: Invalid value: 5: " + shrunk}},
      {"{version: '16', storage: {storageClass: a}}",
       "{version: '16', replicas: 2, storage: {storageClass: a}}",
       {}},
      {"{version: '16'}", "{version: '16', storage: {storageClass: a}}", {class_error("\"a\"")}},
      {"{version: '16', storage: {storageClass: a}}", "{version: '16'}", {class_error("null")}},
      {"{version: '16', storage: {storageClass: a}}",
       "{version: '16', storage: {storageClass: b}}",
       {class_error("\"b\"")}},
  });
}

TEST_CASE("resources can be had and hold the shared buffers") {
  require_all(std::vector<Case>{
      {"{version: '16', resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 2, memory: "
       "1024Mi}}}",
       {}},
      {"{version: '16', resources: {limits: {example.com/disk: 1, hugepages-2Mi: 1Gi, "
       "ephemeral-storage: 1Gi}}}",
       {}},
      {"{version: '16', resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}",
       {"spec.resources.requests.memory: Invalid value: \"2Gi\": must be less than or equal to the "
        "memory limit of "
        "1Gi"}},
      {"{version: '16', resources: {requests: {cpu: -1}}}",
       {"spec.resources.requests.cpu: Invalid value: -1: must be a quantity that is not negative, "
        "such as 500m or 1Gi"}},
      {"{version: '16', resources: {limits: {mem: 1Gi}}}",
       {"spec.resources.limits: Unsupported value: \"mem\": supported values: \"cpu\", \"memory\", "
        "\"ephemeral-storage\""}},
      {"{version: '16', resources: {requests: {memory: 128Mi}}, postgresql: {parameters: "
       "{shared_buffers: 256MB}}}",
       {"spec.resources.requests.memory: Invalid value: \"128Mi\": must be at least 256Mi, the "
        "shared_buffers in "
        "spec.postgresql.parameters"}},
      {"{version: '16', resources: {limits: {memory: 128Mi}}, postgresql: {parameters: "
       "{shared_buffers: 256MB}}}",
       {"spec.resources.limits.memory: Invalid value: \"128Mi\": must be at least 256Mi, the "
        "shared_buffers in "
        "spec.postgresql.parameters"}},
      {"{version: '16', resources: {limits: {memory: 128m}}}",
       {"spec.resources.limits.memory: Invalid value: \"128m\": must be whole bytes; the suffix m "
        "means thousandths, M and Mi mean megabytes"}},
      {"{version: '16', resources: {requests: {hugepages-2Mi: 2Mi}}}",
       {"spec.resources.limits.hugepages-2Mi: Required value: must be set, equal to the request of "
        "2Mi"}},
      {"{version: '16', resources: {requests: {hugepages-2Mi: 2Mi}, limits: {hugepages-2Mi: 4Mi}}}",
       {"spec.resources.requests.hugepages-2Mi: Invalid value: \"2Mi\": must be equal to the limit "
        "of "
        "4Mi, as Kubernetes wants"}},
      {"{version: '16', resources: {limits: {hugepages-2Mi: 3Mi}}}",
       {"spec.resources.limits.hugepages-2Mi: Invalid value: \"3Mi\": must be a multiple of the "
        "page, "
        "2Mi"}},
      {"{version: '16', resources: {limits: {hugepages-big: 3Mi}}}",
       {"spec.resources.limits: Invalid value: \"hugepages-big\": must name the size of a page, "
        "such "
        "as hugepages-2Mi"}},
      {"{version: '16', resources: {requests: {memory: 256Mi}}, postgresql: {parameters: "
       "{shared_buffers: 256MB}}}",
       {}},
  });
}

TEST_CASE("what may be needed at once is told with its sum") {
  const auto warnings = [](std::string_view spec) { return check(stored(spec)).warnings; };
  CHECK(warnings("{version: '16', replicas: 1}").empty());
  CHECK(warnings("{version: '16', replicas: 2}").empty());
  CHECK(warnings("{version: '16', resources: {limits: {memory: 512Mi}}}").empty());
  CHECK(warnings("{version: '16', resources: {limits: {memory: 1Gi}}, postgresql: {parameters: "
                 "{work_mem: 16MB}}}") ==
        std::vector<std::string>{
            "spec.resources.limits.memory: buffers 128MB, 100 x work_mem 1600MB, "
            "vacuum 192MB: up to 1920MB"});
  CHECK(warnings("{version: '16', resources: {limits: {memory: 2Gi}}, postgresql: {parameters: "
                 "{work_mem: 16MB}}}")
            .empty());
  CHECK(warnings("{version: '16', resources: {requests: {memory: 64Mi}}}") ==
        std::vector<std::string>{"spec.resources.requests.memory: is less than shared_buffers, "
                                 "which is 128MB by default"});
}

TEST_CASE("replicas beyond all bounds are the schema's affair alone") {
  for (const char* replicas : {"-9223372036854775808", "9223372036854775807", "0", "1e30"}) {
    INFO(replicas);
    const Verdict verdict =
        check(stored("{version: '16', replicas: " + std::string(replicas) + "}"));
    CHECK(verdict.warnings.empty());
    CHECK_FALSE(verdict.ok());
  }
}

TEST_CASE("replicas need senders, and a volume room for WAL") {
  const auto warnings = [](std::string_view spec) { return check(stored(spec)).warnings; };
  CHECK(warnings("{version: '16', replicas: 9}").empty());
  CHECK(warnings("{version: '16', replicas: 10}") ==
        std::vector<std::string>{
            "spec.replicas: not all can stream: set max_wal_senders to 11 or more"});
  CHECK(warnings("{version: '16', replicas: 16, postgresql: {parameters: {max_wal_senders: 20, "
                 "max_replication_slots: 20}}}")
            .empty());
  CHECK(warnings("{version: '16', storage: {size: 1Gi}}").empty());
  CHECK(warnings("{version: '16', storage: {size: 500Mi}}").size() == 1);
  CHECK(warnings("{version: '16', storage: {size: 10}}").size() == 2);
}

TEST_CASE("a spec that is unchanged was judged before") {
  Json old = stored("{version: '16', postgresql: {parameters: {port: 1}}}");
  Json labelled = old;
  labelled["metadata"]["labels"]["a"] = "b";
  CHECK_FALSE(check(labelled).ok());
  CHECK(check(labelled, &old).ok());
}

TEST_CASE("any JSON is judged without an exception") {
  for (std::string_view text :
       {"[]", "1", "text", "{spec: 1, metadata: []}", "{metadata: {name: 3}, spec: {storage: []}}",
        "{spec: {postgresql: {parameters: [1]}, resources: {requests: x, limits: {cpu: {}}}}}",
        "{spec: {storage: {size: {}}, version: {}, resources: 3}}"}) {
    CAPTURE(text);
    Json object = from_yaml(text);
    CHECK_NOTHROW(apply_defaults(object));
    CHECK_FALSE(check(object).ok());
    CHECK_NOTHROW(check(object, &object));
    CHECK_NOTHROW(unknown_fields(object));
  }
}
