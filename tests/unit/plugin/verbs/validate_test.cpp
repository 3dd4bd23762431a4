#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/files.h"
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
  CHECK(screen.out == file + ":1: PostgresCluster \"my-db\" is valid\n");
  CHECK(screen.err.empty());
}

TEST_CASE("validate shows all that is wrong, each with its line") {
  const auto screen = validate(
      "# a comment\n---\napiVersion: db.example.com/v1\nkind: PostgresCluster\n"
      "metadata: {name: bad}\nspec:\n  replicas: 0\n  version: \"9.6\"\n  foo: 1\n  replicas: "
      "17\n");
  CHECK(screen.exit_code == 1);
  CHECK(screen.out.empty());
  const std::string title = ": error: PostgresCluster \"bad\": ";
  CHECK(screen.err ==
        "standard input:8" + title +
            "spec.version: Unsupported value: \"9.6\": supported values: \"16\", \"17\"\n" +
            "standard input:9" + title + "spec.foo: unknown field\n" + "standard input:10" + title +
            "spec.replicas: stands twice; leave one of them out\n" + "standard input:10" + title +
            "spec.replicas: Invalid value: 17: spec.replicas in body should be less than or equal "
            "to 16\n");
}

TEST_CASE("validate names the field that a misspelt one was to be") {
  const auto screen = validate(
      "apiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: a}\nspec:\n"
      "  version: \"16\"\n  replcias: 3\n  size: 1Gi\n");
  CHECK(screen.exit_code == 1);
  CHECK(screen.err ==
        "standard input:6: error: PostgresCluster \"a\": spec.replcias: unknown field, did you "
        "mean spec.replicas?\n"
        "standard input:7: error: PostgresCluster \"a\": spec.size: unknown field, did you mean "
        "spec.storage.size?\n");
}

TEST_CASE("validate judges each of several documents") {
  const auto screen = validate(kValid + "---\n" + "kind: Secret\napiVersion: v1\n---\n" +
                               "apiVersion: db.example.com/v1\nkind: PostgresCluster\n"
                               "metadata: {name: two}\nspec: {}\n");
  CHECK(screen.exit_code == 1);
  CHECK(screen.out == "standard input:1: PostgresCluster \"my-db\" is valid\n");
  CHECK(screen.err ==
        "standard input:6: Secret passed over: --crd names no CustomResourceDefinition for it\n"
        "standard input:12: error: PostgresCluster \"two\": spec.version: Required value\n"
        "3 objects: 1 valid, 1 invalid, 1 passed over\n");
}

TEST_CASE("validate takes a List apart, and JSON") {
  const auto screen = validate(R"({"kind": "List", "apiVersion": "v1", "items": [
{"apiVersion": "db.example.com/v1", "kind": "PostgresCluster",
 "metadata": {"name": "a"}, "spec": {"version": "17"}},
{"apiVersion": "db.example.com/v1", "kind": "PostgresCluster",
 "metadata": {"name": "b"}, "spec":
 {"version": 17}}]})");
  CHECK(screen.exit_code == 1);
  CHECK(screen.out == "standard input:2: PostgresCluster \"a\" is valid\n");
  CHECK(screen.err.find("standard input:6: error: PostgresCluster \"b\": spec.version: Invalid") !=
        std::string::npos);
}

TEST_CASE("validate knows its version of the resource only") {
  const auto screen = validate(
      "apiVersion: db.example.com/v2\nkind: PostgresCluster\nmetadata: {name: x}\nspec: {}\n");
  CHECK(screen.exit_code == 1);
  CHECK(screen.err ==
        "standard input:1: error: PostgresCluster \"x\": apiVersion: no matches for kind "
        "\"PostgresCluster\" in version \"db.example.com/v2\"; want db.example.com/v1\n");
}

TEST_CASE("validate has an exit code of its own for what it can't judge") {
  test::PluginRun run;
  const auto missing = run({"validate", "-f", "/none"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.err == "/none: error: the file does not exist or cannot be read\n");
  const auto broken = validate("a: 1\nb: [");
  CHECK(broken.exit_code == 2);
  CHECK(broken.err.starts_with("standard input:2: error: "));
}

TEST_CASE("validate passes over what it does not know, and that is no fault") {
  const auto other = validate("a: 1");
  CHECK(other.exit_code == 0);
  CHECK(other.err ==
        "standard input:1: an object without kind passed over: --crd names no "
        "CustomResourceDefinition for it\n");
  const auto empty = validate("");
  CHECK(empty.exit_code == 0);
  CHECK(empty.err == "0 objects: 0 valid, 0 invalid, 0 passed over\n");
}

TEST_CASE("validate judges the rest when one file cannot be read") {
  test::PluginRun run;
  run.input = kValid;
  const auto screen = run({"validate", "-f", "/none", "-f", "-"});
  CHECK(screen.exit_code == 2);
  CHECK(screen.out == "standard input:1: PostgresCluster \"my-db\" is valid\n");
  CHECK(screen.err.ends_with("1 object: 1 valid, 0 invalid, 0 passed over; 1 file unreadable\n"));
}

TEST_CASE("validate takes the manifests of a folder, by name") {
  const test::Files folder;
  folder.write("b.yml", kValid);
  folder.write("a.yaml", kValid);
  folder.write("notes.txt", "replicas: [");
  folder.write(".hidden.yaml", "replicas: [");
  folder.write("inner/c.json", "{}");
  test::PluginRun run;
  const auto flat = run({"validate", "-f", folder.folder()});
  CHECK(flat.exit_code == 0);
  CHECK(flat.out == folder.folder() + "/a.yaml:1: PostgresCluster \"my-db\" is valid\n" +
                        folder.folder() + "/b.yml:1: PostgresCluster \"my-db\" is valid\n");
  CHECK(flat.err == "2 objects: 2 valid, 0 invalid, 0 passed over\n");
  const auto deep = run({"validate", "-R", "-f", folder.folder()});
  CHECK(deep.err.find("inner/c.json:1: an object without kind passed over") != std::string::npos);
}

TEST_CASE("validate judges changes of what is there") {
  const test::Files folder;
  const std::string old =
      folder.write("old.yaml",
                   "apiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: my-db}\n"
                   "spec: {version: \"17\", storage: {size: 20Gi}}\n");
  test::PluginRun run;
  run.input =
      "apiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: my-db}\n"
      "spec:\n  version: \"16\"\n  storage:\n    size: 10Gi\n"
      "---\napiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: other}\n"
      "spec: {version: \"16\"}\n";
  const auto screen = run({"validate", "-f", "-", "--against", old});
  CHECK(screen.exit_code == 1);
  CHECK(screen.err.find("standard input:5: error: PostgresCluster \"my-db\": spec.version: Invalid "
                        "value: \"16\": cannot go down from 17") != std::string::npos);
  CHECK(screen.err.find("standard input:7: error: PostgresCluster \"my-db\": spec.storage.size: "
                        "Invalid value: \"10Gi\": cannot shrink") != std::string::npos);
  CHECK(screen.out == "standard input:9: PostgresCluster \"other\" is valid\n");
  CHECK(run({"validate", "-f", "-", "--against", "/none"}).exit_code == 2);
}

TEST_CASE("validate finds what is there also for a manifest without a namespace") {
  const auto cluster = [](const std::string& ns, const std::string& version) {
    return "---\napiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: my-db" +
           ns + "}\nspec: {version: \"" + version + "\"}\n";
  };
  const test::Files folder;
  const std::string one = folder.write("one.yaml", cluster(", namespace: a", "17"));
  const std::string two =
      folder.write("two.yaml", cluster(", namespace: a", "17") + cluster(", namespace: b", "16"));
  test::PluginRun run;
  run.input = cluster("", "16");
  CHECK(run({"validate", "-f", "-", "--against", one}).exit_code == 1);  // it would go down
  CHECK(run({"validate", "-f", "-", "--against", two}).exit_code == 0);  // which of the two?
  run.input = cluster(", namespace: a", "16");
  CHECK(run({"validate", "-f", "-", "--against", two}).exit_code == 1);
  run.input = cluster(", namespace: c", "16");
  CHECK(run({"validate", "-f", "-", "--against", one}).exit_code == 0);
}

TEST_CASE("validate names what a change costs") {
  const test::Files folder;
  const std::string head =
      "apiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata: {name: my-db}\n";
  const std::string old = folder.write("old.yaml", head + "spec: {version: \"17\"}\n");
  test::PluginRun run;
  run.input = head + "spec:\n  version: \"17\"\n  resources:\n    requests:\n      memory: 1Gi\n";
  const auto screen = run({"validate", "-f", "-", "--against", old});
  CHECK(screen.exit_code == 0);
  CHECK(screen.err.starts_with(
      "standard input:6: warning: PostgresCluster \"my-db\": spec.resources: takes effect when"));
}

const std::string kCrds = std::string(PGC_SOURCE_DIR) + "/examples/flightticket/crd.yaml";

TEST_CASE("validate judges other kinds by their CRDs") {
  test::PluginRun run;
  run.input =
      "apiVersion: flights.com/v1\nkind: FlightTicket\nmetadata: {name: ticket}\n"
      "spec:\n  from: London\n  to: 5\n  number: 11\n";
  const auto screen = run({"validate", "--crd", kCrds, "-f", "-"});
  CHECK(screen.exit_code == 1);
  const std::string title = ": error: FlightTicket \"ticket\": ";
  CHECK(screen.err ==
        "standard input:6" + title +
            "spec.to: Invalid value: \"integer\": spec.to in body must be of type string: "
            "\"integer\"\n" +
            "standard input:7" + title +
            "spec.number: Invalid value: 11: spec.number in body should be less than or equal to "
            "10\n");
  CHECK(run({"validate", "--crd", "/none", "-f", "-"}).exit_code == 2);
  run.input = kValid;
  const auto none = run({"validate", "--crd", "-", "-f", kCrds});
  CHECK(none.exit_code == 2);
  CHECK(none.err.starts_with("standard input:1: error: no usable CustomResourceDefinition: "));
}

TEST_CASE("validate speaks JSON to programs") {
  test::PluginRun run;
  run.input = kValid + "---\napiVersion: db.example.com/v1\nkind: PostgresCluster\n" +
              "metadata: {name: two, namespace: ns}\nspec: {version: \"16\", replcias: 2}\n";
  const auto screen = run({"validate", "-f", "-", "-f", "/none", "-o", "json"});
  CHECK(screen.exit_code == 2);
  CHECK(screen.err.empty());
  const auto json = nlohmann::json::parse(screen.out);
  CHECK(json["summary"] ==
        nlohmann::json{{"valid", 1}, {"invalid", 1}, {"skipped", 0}, {"unreadable", 1}});
  CHECK(json["objects"][0]["verdict"] == "valid");
  CHECK(json["objects"][1] ==
        nlohmann::json{{"file", "standard input"},
                       {"line", 6},
                       {"apiVersion", "db.example.com/v1"},
                       {"kind", "PostgresCluster"},
                       {"namespace", "ns"},
                       {"name", "two"},
                       {"verdict", "invalid"},
                       {"errors",
                        {{{"line", 9},
                          {"field", "spec.replcias"},
                          {"reason", "UnknownField"},
                          {"message", "unknown field, did you mean spec.replicas?"}}}},
                       {"warnings", nlohmann::json::array()}});
  CHECK(json["unreadable"][0]["file"] == "/none");
  CHECK(run({"validate", "-f", "-", "-o", "yaml"}).exit_code == 1);
}

}  // namespace
}  // namespace pgc::plugin
