#include "shared/kube/exec_process.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <thread>

#include "tests/support/slowness.h"

namespace pgc::kube {
namespace {

using std::chrono::seconds;

ExecPlugin shell(const std::string& script) {
  ExecPlugin plugin;
  plugin.command = "sh";
  plugin.arguments = {"-c", script};
  return plugin;
}

Result<std::string> run(const ExecPlugin& plugin, seconds timeout = seconds(20)) {
  return run_exec_plugin(plugin, "{}", false,
                         {.until = std::chrono::steady_clock::now() + timeout});
}

TEST_CASE("a credential plugin says what it prints, knowing what it is told") {
  ::setenv("PGC_TEST_INHERITED", "ours", 1);
  ExecPlugin plugin =
      shell("printf '%s %s %s' \"$KUBERNETES_EXEC_INFO\" \"$REGION\" \"$PGC_TEST_INHERITED\"");
  plugin.environment = {{"REGION", "north"}};
  CHECK(run(plugin) == "{} north ours");
  plugin.environment = {{"REGION", "north"}, {"PGC_TEST_INHERITED", "its"}};
  CHECK(run(plugin) == "{} north its");
  ::unsetenv("PGC_TEST_INHERITED");
}

TEST_CASE("a credential plugin that nobody sits before reads nothing") {
  CHECK(run(shell("cat; echo end")) == "end\n");
}

TEST_CASE("a credential plugin may print much, but not without end") {
  const auto much = run(shell("head -c 200000 /dev/zero"));
  REQUIRE(much);
  CHECK(much->size() == 200'000);
  const auto endless = run(shell("cat /dev/zero"));
  REQUIRE_FALSE(endless);
  CHECK(endless.error().message == "getting credentials: exec: executable sh printed over 1 MiB");
}

TEST_CASE("a credential plugin that fails is told of in a line") {
  struct Case {
    ExecPlugin plugin;
    std::string message;
  };
  ExecPlugin missing;
  missing.command = "pgc-no-such-plugin";
  missing.install_hint = "install it first";
  const Case cases[] = {
      {shell("echo t; exit 3"), "sh failed with exit code 3"},
      {shell("kill -TERM $$"), "sh was ended by a signal"},
      {missing, "pgc-no-such-plugin not found; install it first"},
  };
  for (const Case& c : cases) {
    const auto answer = run(c.plugin);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().is(ErrorKind::kConfiguration));
    CHECK(answer.error().message == "getting credentials: exec: executable " + c.message);
  }
}

TEST_CASE("a credential plugin that hangs is ended") {
  // Also one that has closed its output and goes on.
  for (const char* script : {"exec sleep 30", "exec sleep 30 >&-"}) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = run(shell(script), seconds(1));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message ==
          "getting credentials: exec: executable sh did not answer within 1 s");
    CHECK(std::chrono::steady_clock::now() - begin < seconds(10));
  }
}

TEST_CASE("a credential plugin that hangs is ended when this program ends") {
  for (const char* script : {"exec sleep 30", "exec sleep 30 >&-"}) {
    std::stop_source stop;
    const auto begin = std::chrono::steady_clock::now();
    const std::jthread ending([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop.request_stop();
    });
    const auto answer = run_exec_plugin(shell(script), "{}", false,
                                        {.until = begin + seconds(25), .stop = stop.get_token()});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message ==
          "getting credentials: exec: executable sh was ended, for this program ends");
    CHECK(std::chrono::steady_clock::now() - begin < seconds(2) * test::kSlowness);
  }
}

}  // namespace
}  // namespace pgc::kube
