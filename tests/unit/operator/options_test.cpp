#include "operator/options.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <sstream>

namespace pgc {
namespace {

struct Parsed {
  std::expected<OperatorOptions, Exit> options;
  std::string out;
  std::string err;
};

Parsed parse(std::vector<const char*> words) {
  ::unsetenv("POD_NAME");
  ::unsetenv("POD_NAMESPACE");
  words.insert(words.begin(), "pgc-operator");
  std::ostringstream out;
  std::ostringstream err;
  auto options = parse_options(static_cast<int>(words.size()), words.data(), out, err);
  return {std::move(options), out.str(), err.str()};
}

TEST_CASE("the operator's options have the defaults of a pod") {
  const auto parsed = parse({});
  REQUIRE(parsed.options);
  const OperatorOptions& options = *parsed.options;
  CHECK(options.settings == "/etc/pgc/settings.yaml");
  CHECK(options.kubeconfig.empty());
  CHECK(options.namespaces.empty());
  CHECK(options.own_namespace == "pgc-system");
  CHECK(options.identity == "pgc-operator");
  CHECK(options.health_port == 8081);
  CHECK(options.workers == 2);
  CHECK(options.resync_seconds == 36'000);
  CHECK(options.log_level == LogLevel::kInfo);
  CHECK(options.webhook_certificates);
}

TEST_CASE("all of the operator's options are taken") {
  const auto parsed = parse({"--settings",
                             "s.yaml",
                             "--kubeconfig=k",
                             "--namespaces",
                             "a,b-1",
                             "--namespaces",
                             "c",
                             "--namespace",
                             "own",
                             "--identity",
                             "me",
                             "--health-port",
                             "0",
                             "--workers",
                             "64",
                             "--resync",
                             "30m",
                             "--log-level",
                             "debug",
                             "--no-webhook-certificates"});
  INFO(parsed.err);
  REQUIRE(parsed.options);
  const OperatorOptions& options = *parsed.options;
  CHECK(options.settings == "s.yaml");
  CHECK(options.kubeconfig == "k");
  CHECK(options.namespaces == std::vector<std::string>{"a", "b-1", "c"});
  CHECK(options.own_namespace == "own");
  CHECK(options.identity == "me");
  CHECK(options.health_port == 0);
  CHECK(options.workers == 64);
  CHECK(options.resync_seconds == 1'800);
  CHECK(options.log_level == LogLevel::kDebug);
  CHECK_FALSE(options.webhook_certificates);
}

TEST_CASE("what the operator is not asked to know is an error of one line") {
  struct Case {
    std::vector<const char*> words;
    const char* says;
  };
  const Case cases[] = {
      {{"--namespaces", "a", "b"},
       "unexpected argument \"b\"; several namespaces are --namespaces a,b"},
      {{"--namespaces", "a,b", "c", "d"}, "unexpected argument \"c\""},
      {{"word"}, "unexpected argument \"word\""},
      {{"--frobnicate"}, "unknown flag --frobnicate"},
      {{"--namespace"}, "--namespace"},
      {{"--namespaces", "A"}, "\"A\" is not the name of a namespace; want a list such as a,b"},
      {{"--namespaces", "a,b c"}, "\"b c\" is not the name of a namespace"},
      {{"--namespaces", ""}, "--namespaces"},
      {{"--workers", "0"}, "--workers"},
      {{"--workers", "65"}, "--workers"},
      {{"--workers", "many"}, "--workers"},
      {{"--health-port", "65536"}, "--health-port"},
      {{"--health-port", "-1"}, "--health-port"},
      {{"--resync", "0s"}, "--resync"},
      {{"--resync", "10d"}, "--resync"},
      {{"--resync", "soon"}, "--resync"},
      {{"--log-level", "loud"}, "--log-level"},
  };
  for (const Case& c : cases) {
    const auto parsed = parse(c.words);
    CAPTURE(c.words, parsed.err);
    REQUIRE_FALSE(parsed.options);
    CHECK(parsed.options.error() == 1);
    CHECK(parsed.out.empty());
    CHECK(parsed.err.starts_with("error: "));
    CHECK(parsed.err.ends_with("; see pgc-operator --help\n"));
    CHECK(std::ranges::count(parsed.err, '\n') == 1);
    CHECK(parsed.err.find(c.says) != std::string::npos);
  }
}

TEST_CASE("no list of namespaces is taken for all of them") {
  for (const char* list : {"a,", ",a", "a,,b", ","}) {
    CAPTURE(list);
    const auto parsed = parse({"--namespaces", list});
    if (!parsed.options) continue;
    CHECK_FALSE(parsed.options->namespaces.empty());
    for (const std::string& name : parsed.options->namespaces) CHECK_FALSE(name.empty());
  }
}

TEST_CASE("help and version are no errors") {
  const auto help = parse({"--help"});
  REQUIRE_FALSE(help.options);
  CHECK(help.options.error() == 0);
  CHECK(help.out.find("--no-webhook-certificates") != std::string::npos);
  const auto version = parse({"--version"});
  REQUIRE_FALSE(version.options);
  CHECK(version.options.error() == 0);
  CHECK_FALSE(version.out.empty());
}

TEST_CASE("a pod says who it is by its environment") {
  (void)parse({});
  ::setenv("POD_NAME", "pgc-operator-abc", 1);
  ::setenv("POD_NAMESPACE", "elsewhere", 1);
  const char* words[] = {"pgc-operator"};
  const auto options = parse_options(1, words);
  ::unsetenv("POD_NAME");
  ::unsetenv("POD_NAMESPACE");
  REQUIRE(options);
  CHECK(options->identity == "pgc-operator-abc");
  CHECK(options->own_namespace == "elsewhere");
}

}  // namespace
}  // namespace pgc
