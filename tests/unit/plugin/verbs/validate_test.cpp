#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/support/plugin_run.h"

namespace pgc::plugin {
namespace {

test::Screen validate(const std::string& text) {
  test::PluginRun run;
  run.input = text;
  return run({"validate", "-f", "-"});
}

const std::string kValid =
    "apiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: my-db}\n"
    "spec: {replicas: 3, version: \"16\"}\n";

TEST_CASE("validate finds the sample valid, without a word on the other stream") {
  test::PluginRun run;
  const std::string file = std::string(PGC_SOURCE_DIR) + "/manifests/samples/my-db.yaml";
  const auto screen = run({"validate", "-f", file});
  CHECK(screen.exit_code == 0);
  CHECK(screen.out == file + ":1: postgrescluster.db.example.com/my-db is valid\n");
  CHECK(screen.err.empty());
}

TEST_CASE("validate shows all that is wrong, with the line of the document") {
  const auto screen = validate(
      "# a comment\n---\napiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: "
      "bad}\n"
      "spec: {replicas: 0, version: \"9.6\", foo: 1, replicas: 17}\n");
  CHECK(screen.exit_code == 1);
  CHECK(screen.out.empty());
  CHECK(screen.err ==
        "standard input:3: The PostgresCluster \"bad\" is invalid: \n"
        "* line 6: duplicate field \"spec.replicas\"\n"
        "* unknown field \"spec.foo\"\n"
        "* spec.replicas: Invalid value: 17: spec.replicas in body should be less than or equal to "
        "16\n"
        "* spec.version: Unsupported value: \"9.6\": supported values: \"16\", \"17\"\n");
}

TEST_CASE("validate judges each of several documents") {
  const auto screen = validate(kValid + "---\n" + "kind: Secret\napiVersion: v1\n---\n" +
                               "apiVersion: db.example.com/v1\nkind: PostgresCluster\n"
                               "metadata: {name: two}\nspec: {}\n");
  CHECK(screen.exit_code == 1);
  CHECK(screen.out == "standard input:1: postgrescluster.db.example.com/my-db is valid\n");
  CHECK(screen.err ==
        "standard input:6: Secret passed over: not a PostgresCluster of db.example.com\n"
        "standard input:9: The PostgresCluster \"two\" is invalid: spec.version: Required value\n");
}

TEST_CASE("validate takes a List apart, and JSON") {
  const auto screen = validate(
      R"({"kind": "List", "apiVersion": "v1", "items": [
           {"apiVersion": "db.example.com/v1", "kind": "PostgresCluster", "metadata": {"name": "a"}, "spec": {"version": "17"}},
           {"apiVersion": "db.example.com/v1", "kind": "PostgresCluster", "metadata": {"name": "b"}, "spec": {"version": 17}}]})");
  CHECK(screen.exit_code == 1);
  CHECK(screen.out == "standard input:1: postgrescluster.db.example.com/a is valid\n");
  CHECK(screen.err.find("The PostgresCluster \"b\" is invalid") != std::string::npos);
}

TEST_CASE("validate knows its version of the resource only") {
  const auto screen = validate(
      "apiVersion: db.example.com/v2\nkind: PostgresCluster\nmetadata: {name: x}\nspec: {}\n");
  CHECK(screen.exit_code == 1);
  CHECK(screen.err ==
        "standard input:1: The PostgresCluster \"x\" is invalid: no matches for kind "
        "\"PostgresCluster\" in version \"db.example.com/v2\"; want db.example.com/v1\n");
}

TEST_CASE("validate has an exit code of its own for what it can't judge") {
  test::PluginRun run;
  const auto missing = run({"validate", "-f", "/none"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.err == "error: the path \"/none\" does not exist or cannot be read\n");
  const auto folder = run({"validate", "-f", "/"});
  CHECK(folder.exit_code == 2);
  CHECK(folder.err == "error: \"/\" is a folder; name the files in it\n");
  const auto broken = validate("a: [");
  CHECK(broken.exit_code == 2);
  CHECK(broken.err.starts_with("error: standard input:"));
  const auto other = validate("a: 1");
  CHECK(other.exit_code == 2);
  CHECK(other.err ==
        "standard input:1: an object without kind passed over: not a PostgresCluster of "
        "db.example.com\n"
        "error: there is no PostgresCluster in standard input\n");
  CHECK(validate("").exit_code == 2);
}

TEST_CASE("validate lets the worst of several files count") {
  test::PluginRun run;
  run.input = kValid;
  CHECK(run({"validate", "-f", "-", "-f", "/none"}).exit_code == 2);
}

}  // namespace
}  // namespace pgc::plugin
