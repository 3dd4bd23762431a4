#include "shared/metrics/metrics.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <thread>

#include "shared/metrics/process.h"

namespace pgc::metrics {
namespace {

TEST_CASE("a registry is told as Prometheus reads it", "[metrics]") {
  Registry registry;
  registry.counter("requests_total", "Requests.", {{"code", "200"}, {"webhook", "/a"}}).add(3);
  registry.counter("requests_total", "not told twice", {{"code", "500"}, {"webhook", "/a"}});
  registry.gauge("expiry", "When.").set(1'700'000'000);
  auto& latency = registry.histogram("latency_seconds", "How long.", {0.001, 0.01});
  latency.observe(0.0005);
  latency.observe(0.001);
  latency.observe(7);
  CHECK(registry.text() ==
        "# HELP expiry When.\n"
        "# TYPE expiry gauge\n"
        "expiry 1.7e+09\n"
        "# HELP latency_seconds How long.\n"
        "# TYPE latency_seconds histogram\n"
        "latency_seconds_bucket{le=\"0.001\"} 2\n"
        "latency_seconds_bucket{le=\"0.01\"} 2\n"
        "latency_seconds_bucket{le=\"+Inf\"} 3\n"
        "latency_seconds_sum 7.0015\n"
        "latency_seconds_count 3\n"
        "# HELP requests_total Requests.\n"
        "# TYPE requests_total counter\n"
        "requests_total{code=\"200\",webhook=\"/a\"} 3\n"
        "requests_total{code=\"500\",webhook=\"/a\"} 0\n");
}

TEST_CASE("what would break a line of the text is escaped", "[metrics]") {
  Registry registry;
  registry.gauge("a", "one\ntwo \\ \"three\"", {{"l", "x\ny\\z\"q\""}})
      .set(std::numeric_limits<double>::infinity());
  CHECK(registry.text() ==
        "# HELP a one\\ntwo \\\\ \"three\"\n# TYPE a gauge\na{l=\"x\\ny\\\\z\\\"q\\\"\"} +Inf\n");
}

TEST_CASE("nothing is lost between threads", "[metrics]") {
  Registry registry;
  auto& counter = registry.counter("c", "");
  auto& histogram = registry.histogram("h", "", {1});
  auto& gauge = registry.gauge("g", "");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 10'000; ++n) {
          counter.add();
          histogram.observe(n % 2 == 0 ? 0.5 : 2);
          gauge.add(1);
        }
        (void)registry.text();
      });
    }
  }
  CHECK(counter.value() == 40'000);
  CHECK(histogram.cumulative() == std::vector<std::uint64_t>{20'000, 40'000});
  CHECK(gauge.value() == 40'000);
}

TEST_CASE("a process tells of itself", "[metrics]") {
  Registry registry;
  add_process_metrics(registry);
  const std::string text = registry.text();
  const auto value = [&](const std::string& name) {
    const auto found = text.find("\n" + name + " ");
    REQUIRE(found != std::string::npos);
    return std::stod(text.substr(found + name.size() + 2));
  };
  CHECK(value("process_resident_memory_bytes") > 1e6);
  CHECK(value("process_virtual_memory_bytes") >= value("process_resident_memory_bytes"));
  CHECK(value("process_open_fds") >= 3);
  CHECK(value("process_max_fds") >= value("process_open_fds"));
  CHECK(value("process_cpu_seconds_total") > 0);
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  CHECK(value("process_start_time_seconds") > now.count() - 86'400);
  CHECK(value("process_start_time_seconds") <= now.count() + 1);
}

}  // namespace
}  // namespace pgc::metrics
