// pgc-bench-load: sends reviews to an admission webhook, holds each answer to what is right, and
// prints one JSON object with what it took. Exit code 1 where an answer was wrong.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/webhook.d/load/load.h"
#include "bench/webhook.d/load/process.h"

namespace {

using namespace pgc::bench;

struct Options {
  LoadOptions load;
  std::string reviews;
  std::string crd;
  std::string hook;
  double seconds = 3;
  pid_t process = 0;
};

void describe(CLI::App& app, Options& options) {
  app.add_option("--port", options.load.port, "port on the loopback")->required();
  app.add_option("--ca", options.load.ca_file, "CA of the server's certificate")->required();
  app.add_option("--process", options.process, "the server, to read its cost from")->required();
  app.add_option("--reviews", options.reviews, "reviews.json")->required();
  app.add_option("--crd", options.crd, "whose objects they are [PostgresCluster]");
  app.add_option("--hook", options.hook, "only this: mutate or validate");
  app.add_option("--seconds", options.seconds, "how long")->capture_default_str();
  app.add_option("--connections", options.load.connections, "how many")->capture_default_str();
  app.add_option("--rate", options.load.rate, "requests a second, in an open loop [closed loop]");
}

std::uint32_t quantile(const std::vector<std::uint32_t>& ascending, double part) {
  if (ascending.empty()) return 0;
  return ascending[static_cast<std::size_t>(part * static_cast<double>(ascending.size() - 1))];
}

nlohmann::json report(const LoadResult& result, const Cost& before, const Cost& after) {
  return {{"requests", result.micros.size()},
          {"seconds", result.seconds},
          {"cpuSeconds", after.cpu_seconds - before.cpu_seconds},
          {"peakKiB", after.peak_kib},
          {"p50Micros", quantile(result.micros, 0.5)},
          {"p99Micros", quantile(result.micros, 0.99)},
          {"maxMicros", quantile(result.micros, 1)},
          {"faults", result.faults}};
}

std::expected<int, std::string> run(Options& options) {
  options.load.duration = std::chrono::milliseconds(static_cast<long>(options.seconds * 1000));
  const auto reviews = read_reviews(options.reviews, options.crd, options.hook);
  if (!reviews) return std::unexpected(reviews.error());
  const auto before = cost_of(options.process);
  if (!before) return std::unexpected(before.error());
  const auto result = load(options.load, *reviews);
  if (!result) return std::unexpected(result.error());
  const auto after = cost_of(options.process);
  if (!after) return std::unexpected("the server has ended");
  std::cout << report(*result, *before, *after).dump() << "\n";
  return result->faults.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Load on an admission webhook.", "pgc-bench-load");
  Options options;
  describe(app, options);
  CLI11_PARSE(app, argc, argv);
  const auto code = run(options);
  if (code) return *code;
  std::cerr << "error: " << code.error() << "\n";
  return 1;
}
