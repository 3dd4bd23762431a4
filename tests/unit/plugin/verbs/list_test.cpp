#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <string>

#include "plugin/printers/document.h"
#include "shared/schema/structural/yaml.h"
#include "tests/support/plugin_run.h"

namespace pgc::plugin {
namespace {

using kube::Json;
using kube::Object;

test::Screen list(test::PluginRun& run, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"list", "--server", "https://api:6443"});
  return run(arguments);
}

Object metadata(const std::string& ns) {
  return Object(Json{{"metadata", {{"namespace", ns}}}});
}

kube::Table two_clusters() {
  return {
      .columns = {{"Name", 0}, {"Ready", 0}, {"Image", 1}, {"Status", 0}, {"Age", 0}},
      .rows = {{.cells = {"my-db", "3", "localhost/x", "Ready", "5m"}, .object = metadata("shop")},
               {.cells = {"a-long-name", "", "", "see\x1b[31m\nbelow", "10d"},
                .object = metadata("kube-system")}}};
}

TEST_CASE("list shows the server's columns as kubectl get does") {
  test::PluginRun run;
  run.server.table_answer = two_clusters();
  const auto screen = list(run, {"-n", "shop", "-l", "app=shop"});
  CHECK(screen.exit_code == 0);
  CHECK(screen.err.empty());
  CHECK(screen.out ==
        "NAME          READY   STATUS         AGE\n"
        "my-db         3       Ready          5m\n"
        "a-long-name           see^[[31m...   10d\n");
  REQUIRE(run.server.listed.size() == 1);
  CHECK(run.server.listed[0].ns == "shop");
  CHECK(run.server.listed[0].label_selector == "app=shop");
}

TEST_CASE("list -o wide has the columns of lower priority, -A one for the namespace") {
  test::PluginRun run;
  run.server.table_answer = two_clusters();
  const auto screen = list(run, {"-A", "-o", "wide", "-n", "shop"});
  CHECK(screen.out ==
        "NAMESPACE     NAME          READY   IMAGE         STATUS         AGE\n"
        "shop          my-db         3       localhost/x   Ready          5m\n"
        "kube-system   a-long-name                         see^[[31m...   10d\n");
  CHECK(run.server.listed.at(0).ns.empty());
}

TEST_CASE("list of nothing says where there is nothing, and is no error") {
  test::PluginRun run;
  CHECK(list(run, {}).err == "No resources found in default namespace.\n");
  CHECK(list(run, {"-A"}).err == "No resources found\n");
  const auto screen = list(run, {"-n", "shop"});
  CHECK(screen.exit_code == 0);
  CHECK(screen.out.empty());
  const auto names = list(run, {"-o", "name"});
  CHECK(names.err.empty());
  CHECK(names.out.empty());
}

TEST_CASE("list NAME asks for that one alone, and tells of one that is not there") {
  test::PluginRun run;
  run.server.table_answer = two_clusters();
  CHECK(list(run, {"my-db", "-n", "shop"}).exit_code == 0);
  REQUIRE(run.server.got.size() == 1);
  CHECK(run.server.got[0] == kube::ObjectRef{kube::kPostgresClusters, "shop", "my-db"});
  run.server.table_answer =
      std::unexpected(kube::Error{.kind = kube::ErrorKind::kNotFound,
                                  .message = "postgresclusters.db.example.com \"x\" not found",
                                  .code = 404,
                                  .reason = "NotFound"});
  const auto screen = list(run, {"x"});
  CHECK(screen.exit_code == 1);
  CHECK(screen.err ==
        "Error from server (NotFound): postgresclusters.db.example.com \"x\" not found\n");
  CHECK(list(run, {"a/b"}).err == "error: invalid resource name \"a/b\": [may not contain '/']\n");
}

TEST_CASE("list -o name, json and yaml are for other programs") {
  test::PluginRun run;
  const Json cluster{{"apiVersion", "db.example.com/v1"},
                     {"kind", "PostgresCluster"},
                     {"metadata", {{"name", "my-db"}, {"annotations", {{"a", "x<y"}}}}},
                     {"spec", {{"replicas", 3}, {"version", "16"}}}};
  run.server.list_answer = kube::ObjectList{.items = {Object(cluster)}, .resource_version = "7"};
  run.server.gets = {Object(cluster)};
  CHECK(list(run, {"-o", "name"}).out == "postgrescluster.db.example.com/my-db\n");
  CHECK(Json::parse(list(run, {"-o", "json"}).out) ==
        Json{{"apiVersion", "v1"},
             {"items", {cluster}},
             {"kind", "List"},
             {"metadata", {{"resourceVersion", ""}}}});
  CHECK(list(run, {"my-db", "-o", "json"}).out.find("x\\u003cy") != std::string::npos);
  CHECK(list(run, {"my-db", "-o", "yaml"}).out ==
        "apiVersion: db.example.com/v1\nkind: PostgresCluster\nmetadata:\n  annotations:\n    a: "
        "x<y\n  name: my-db\nspec:\n  replicas: 3\n  version: \"16\"\n");
}

std::string yaml(const Json& document) {
  std::ostringstream out;
  print_yaml(out, document);
  return out.str();
}

TEST_CASE("YAML reads as kubectl's") {
  CHECK(yaml(Json::parse(R"({"a":[{"b":1,"c":[2,[]]},[3,4]],"d":{},"e":null,"f":"x\ny\n"})")) ==
        "a:\n- b: 1\n  c:\n  - 2\n  - []\n- - 3\n  - 4\nd: {}\ne: null\nf: |\n  x\n  y\n");
}

TEST_CASE("YAML means what was put into it") {
  Json document;
  for (const char* text : {"",
                           " ",
                           "a",
                           "a b",
                           "a: b",
                           "a:",
                           ":a",
                           "a #b",
                           "#a",
                           "- a",
                           "-a",
                           "-",
                           "?",
                           "yes",
                           "No",
                           "y",
                           "n",
                           "~",
                           "null",
                           "1",
                           "1.5",
                           "1e3",
                           "012",
                           "0x1F",
                           "1_000",
                           "1:30",
                           "-1:30:00",
                           "10.0.0.1",
                           "2026-01-01",
                           "2026-08-21T09:00:00Z",
                           ".inf",
                           ".nan",
                           "{}",
                           "[]",
                           "{a",
                           "'",
                           "it's",
                           "\"q\"",
                           "@x",
                           "`x",
                           "%x",
                           "!x",
                           "&x",
                           "*x",
                           "|",
                           ">",
                           "...",
                           "---",
                           "--- a",
                           "<<",
                           "=",
                           "a\nb",
                           "a\nb\n",
                           "a\n\nb\n\n",
                           "a \nb",
                           " a\nb",
                           "\na",
                           "a\tb",
                           "\ta",
                           "a\x1b[31m",
                           "\xC2\x9B"
                           "31m",
                           "\xE2\x82\xAC",
                           "x\\y",
                           "a\r\nb",
                           "key: |\n  x",
                           "# no\n# comment\n"}) {
    document["list"].push_back(text);
    document["map"][text] = text;
    document["deep"]["a"]["b"].push_back({{"key", text}, {"z", {text, 1}}});
  }
  const std::string text = yaml(document);
  INFO(text);
  const auto read = schema::parse_yaml(text);
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  REQUIRE(read->size() == 1);
  CHECK(Json::diff(read->at(0).value, document) == Json::array());
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\xC2\x9B") == std::string::npos);
}

}  // namespace
}  // namespace pgc::plugin
