#include "plugin/cli.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "pgc_version.h"
#include "tests/support/plugin_run.h"

namespace pgc::plugin {
namespace {

TEST_CASE("a wrong command line is told in kubectl's words") {
  struct Case {
    std::vector<std::string> arguments;
    const char* error;
    const char* see;
  };
  const Case cases[] = {
      {{"frobnicate"}, "unknown command \"frobnicate\" for \"kubectl pgc\"", "kubectl pgc"},
      {{"scale", "--foo"}, "NAME is required", "kubectl pgc scale"},
      {{"scale"}, "NAME is required", "kubectl pgc scale"},
      {{"scale", "my-db"}, "REPLICAS is required", "kubectl pgc scale"},
      {{"scale", "my-db", "3", "--foo=1"}, "unknown flag: --foo", "kubectl pgc scale"},
      {{"scale", "my-db", "3", "-x"}, "unknown shorthand flag: 'x' in -x", "kubectl pgc scale"},
      {{"scale", "my-db", "3", "4"}, "unexpected argument \"4\"", "kubectl pgc scale"},
      {{"scale", "my-db", "three"},
       "invalid argument \"three\" for REPLICAS: want a whole number, such as 3",
       "kubectl pgc scale"},
      {{"scale", "my-db", "3.5"},
       "invalid argument \"3.5\" for REPLICAS: want a whole number, such as 3",
       "kubectl pgc scale"},
      {{"scale", "my-db", "99999999999999999999"},
       "invalid argument \"99999999999999999999\" for REPLICAS: want a whole number, such as 3",
       "kubectl pgc scale"},
      {{"scale", "my-db", "3", "--timeout", "soon"},
       "invalid argument \"soon\" for \"--timeout\": want a duration such as 90s, 5m or 1h30m",
       "kubectl pgc scale"},
      {{"describe", "my-db", "--request-timeout=x"},
       "invalid argument \"x\" for \"--request-timeout\": want a duration such as 90s, 5m or 1h30m",
       "kubectl pgc describe"},
      {{"list", "-o", "xml"},
       "unable to match a printer suitable for the output format \"xml\", allowed formats are: "
       "json, name, wide, yaml",
       "kubectl pgc list"},
      {{"list", "my-db", "-A"},
       "a resource cannot be retrieved by name across all namespaces",
       "kubectl pgc list"},
      {{"list", "my-db", "-l", "a=b"},
       "name cannot be provided when a selector is specified",
       "kubectl pgc list"},
      {{"list", "my-db", "other"}, "unexpected argument \"other\"", "kubectl pgc list"},
      {{"validate"}, "must specify a file with -f", "kubectl pgc validate"},
      {{"version", "-o", "xml"},
       "unable to match a printer suitable for the output format \"xml\", allowed formats are: "
       "json",
       "kubectl pgc version"},
      {{"help", "frobnicate"}, "unknown command \"frobnicate\" for \"kubectl pgc\"", "kubectl pgc"},
  };
  for (const Case& c : cases) {
    test::PluginRun run;
    const auto screen = run(c.arguments);
    CAPTURE(c.arguments);
    CHECK(screen.exit_code == 1);
    CHECK(screen.out.empty());
    CHECK(screen.err ==
          "error: " + std::string(c.error) + "\nSee '" + c.see + " --help' for usage.\n");
  }
}

TEST_CASE("help goes to standard output and is no error") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--help"}, {"-h"}, {"help"}}) {
    test::PluginRun run;
    const auto screen = run(arguments);
    CHECK(screen.exit_code == 0);
    CHECK(screen.err.empty());
    CHECK(screen.out.find("Usage: kubectl pgc COMMAND") != std::string::npos);
    CHECK(screen.out.find("validate") != std::string::npos);
  }
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"scale", "--help"},
                                                    {"help", "scale"},
                                                    {"scale", "my-db", "3", "-h"}}) {
    test::PluginRun run;
    const auto screen = run(arguments);
    CHECK(screen.exit_code == 0);
    CHECK(screen.out.find("kubectl pgc scale my-db 3 --wait") != std::string::npos);
  }
}

TEST_CASE("version is one line, or the JSON of kubectl's") {
  test::PluginRun run;
  const std::string version(kVersion);
  CHECK(run({"version"}).out == "kubectl pgc " + version + " (commit " + std::string(kCommit) +
                                    ", " + std::string(platform()) + ")\n");
  const auto json = nlohmann::json::parse(run({"version", "-o", "json"}).out);
  CHECK(json["clientVersion"]["gitVersion"] == version);
  CHECK(json["clientVersion"]["gitCommit"] == std::string(kCommit));
  CHECK(json["clientVersion"]["platform"] == std::string(platform()));
}

TEST_CASE("connection flags stand before the command or after it, the last one counts") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"-n", "shop", "-s", "https://a", "describe", "my-db"},
        {"describe", "-n", "other", "--server=https://a", "my-db", "--namespace=shop"},
        {"--server", "https://a", "describe", "my-db", "-nshop"}}) {
    test::PluginRun run;
    run(arguments);
    REQUIRE(run.server.got.size() == 1);
    CHECK(run.server.got[0].ns == "shop");
    CHECK(run.server.got[0].name == "my-db");
    CHECK(run.config.server == "https://a");
  }
}

TEST_CASE("the other connection flags reach the client") {
  test::PluginRun run;
  run({"describe", "my-db", "-s", "https://a", "--token=t", "--as=jane", "--as-group=g",
       "--as-group=h", "--tls-server-name=n", "--insecure-skip-tls-verify", "--request-timeout=7"});
  CHECK(run.config.token == "t");
  CHECK(run.config.impersonate_user == "jane");
  CHECK(run.config.impersonate_groups == std::vector<std::string>{"g", "h"});
  CHECK(run.config.tls_server_name == "n");
  CHECK(run.config.insecure_skip_tls_verify);
  CHECK(run.options.timeout == std::chrono::seconds(7));
}

TEST_CASE("a name can't lead to another path of the API") {
  test::PluginRun run;
  const auto error = [&](const std::string& ns, const std::string& name) {
    return run({"describe", name, "-s", "https://a", "-n", ns}).err;
  };
  CHECK(error("default", "a/b") == "error: invalid resource name \"a/b\": [may not contain '/']\n");
  CHECK(error("default", "a%2Fb") ==
        "error: invalid resource name \"a%2Fb\": [may not contain '%']\n");
  CHECK(error("default", "..") == "error: invalid resource name \"..\": [may not be '..']\n");
  CHECK(error("a/b", "x") == "error: invalid namespace \"a/b\": [may not contain '/']\n");
  CHECK(run.server.got.empty());
}

TEST_CASE("a wrong kubeconfig ends a command before it connects") {
  test::PluginRun run;
  run.environment = {{"HOME", "/none"}};
  CHECK(run({"describe", "my-db", "--kubeconfig", "/none"}).err ==
        "error: stat /none: no such file or directory\n");
  const auto screen = run({"describe", "my-db"});
  CHECK(screen.exit_code == 1);
  CHECK(
      screen.err ==
      "error: no configuration has been provided: no file at /none/.kube/config; give --kubeconfig "
      "FILE or set KUBECONFIG\n");
}

}  // namespace
}  // namespace pgc::plugin
