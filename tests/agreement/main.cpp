// Whether the engine of shared/schema/structural and kube-apiserver give the same verdicts.
//
//   pgc-agreement --crds FOLDER [--count N] [--seed N] [--threads N] [--junit FILE] [--only TEXT]
//
// The API server is that of KUBECONFIG; nothing but our own objects is left in it.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

#include "shared/kube/kubeconfig.h"
#include "tests/agreement/differences.h"
#include "tests/agreement/report.h"
#include "tests/agreement/requests.h"
#include "tests/agreement/shrink.h"

namespace pgc::agreement {
namespace {

constexpr int kChunk = 25;         // requests in a row for one resource
constexpr int kMuch = 8;           // ours and the one of everything get as many as 8 others
constexpr int kMostDetailed = 30;  // differences that are made small

struct Options {
  std::string crds;
  std::string junit;
  std::string only;
  int count = 2000;
  int threads = 3;
  std::uint64_t seed = 1;
};

std::vector<Resource> load(const Options& options) {
  const std::string root = PGC_SOURCE_DIR;
  std::vector<Resource> all = load_resources(root + "/manifests/crd/postgresclusters.yaml", true);
  for (const std::string& path : {root + "/tests/agreement/everything.yaml",
                                  root + "/examples/flightticket/crd.yaml", options.crds}) {
    if (path.empty()) continue;
    for (Resource& resource : load_resources(path, false)) all.push_back(std::move(resource));
  }
  std::erase_if(
      all, [&](const Resource& r) { return r.name().find(options.only) == std::string::npos; });
  return all;
}

// Half of what is stored is right, half was never looked at.
std::vector<Json> to_be_stored(const Resource& resource, std::uint64_t seed) {
  test::Generator generator(resource.open_api(), seed, resource.head());
  std::vector<Json> objects;
  for (int i = 0; i < 3; ++i) {
    objects.push_back(generator.valid());
    objects.push_back(generator.nearly_valid());
  }
  return objects;
}

std::string how_to_send(const Resource& resource, const Made& made, const std::string& text) {
  std::string result = to_string(made.request.operation) + " " +
                       to_string(made.request.strictness) + " " + resource.path() + " " + text;
  if (made.request.old != nullptr) {
    Json old = *made.request.old;
    old["metadata"].erase("managedFields");
    result += "\n    of the stored " + old.dump();
  }
  return result + (made.slips.empty() ? "" : "\n    made by: " + made.slips);
}

// The server cuts warnings short when there are many.
bool has_many_warnings(const Resource& resource, Request request) {
  if (request.strictness != Strictness::kWarn) return false;
  request.strictness = Strictness::kStrict;
  const Verdict verdict = ask_engine(resource, request);
  std::size_t size = 0;
  for (const std::string& text : verdict.texts) size += text.size();
  return verdict.kind == Verdict::Kind::kStrict && size > 2000;
}

class Run {
 public:
  Run(const kube::Config& config, const std::vector<Resource>& resources, const Options& options,
      Report& report)
      : config_(config), resources_(resources), options_(options), report_(report) {
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const bool much = resources[i].is_ours || resources[i].crd.kind == "Everything";
      turns_.insert(turns_.end(), much ? kMuch : 1, i);
    }
  }

  void work() {
    Server server(config_);
    for (;;) {
      const int turn = next_turn_++;
      if (turn * kChunk >= options_.count) return;
      const Resource& resource = resources_[turns_[static_cast<std::size_t>(turn) % turns_.size()]];
      RequestMaker maker(resource, options_.seed * 1'000'003 + static_cast<std::uint64_t>(turn));
      for (int i = 0; i < kChunk; ++i) compare(server, resource, maker.next());
    }
  }

 private:
  void compare(Server& server, const Resource& resource, Made made) {
    if (has_many_warnings(resource, made.request)) made.request.strictness = Strictness::kIgnore;
    const Verdict theirs = ask_server(server, resource, made.request);
    const Verdict ours = ask_engine(resource, made.request);
    report_.count(resource, made, theirs);
    const std::string what = difference(theirs, ours);
    if (what.empty()) return;
    for (const KnownDifference& known : known_differences()) {
      if (!known.covers(resource, made.request, theirs, ours)) continue;
      report_.count_known(known.name);
      return;
    }
    tell(server, resource, made);
  }

  void tell(Server& server, const Resource& resource, const Made& made) {
    Request request = made.request;
    const auto differs = [&](const std::string& text) {
      request.text = text;
      const Verdict theirs = ask_server(server, resource, request);
      return !difference(theirs, ask_engine(resource, request)).empty();
    };
    if (told_++ < kMostDetailed) {
      const std::string small = shrunk(made.request.text, differs);
      request.text = small;
    }
    const std::string what =
        difference(ask_server(server, resource, request), ask_engine(resource, request));
    report_.add({resource.name(), what, how_to_send(resource, made, request.text)});
  }

  const kube::Config& config_;
  const std::vector<Resource>& resources_;
  const Options& options_;
  Report& report_;
  std::vector<std::size_t> turns_;
  std::atomic<int> next_turn_ = 0;
  std::atomic<int> told_ = 0;
};

// Most of it is waiting for the server.
void install_all(const kube::Config& config, std::vector<Resource>& resources,
                 const Options& options) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4 * options.threads; ++i) {
    threads.emplace_back([&] {
      Server server(config);
      for (std::size_t at = next++; at < resources.size(); at = next++) {
        install(server, resources[at], to_be_stored(resources[at], options.seed));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int run(const Options& options) {
  const auto config = kube::load_kubeconfig({}, kube::environment_variable);
  if (!config) {
    std::cerr << "error: " << config.error().message << "\n";
    return 2;
  }
  std::vector<Resource> resources = load(options);
  Server server(*config);
  make_namespace(server);
  std::cout << "seed " << options.seed << ", " << resources.size() << " resources" << std::endl;
  install_all(*config, resources, options);
  const auto start = std::chrono::steady_clock::now();
  Report report;
  Run work(*config, resources, options, report);
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i) threads.emplace_back([&] { work.work(); });
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.print(std::cout);
  std::cout << "took " << took.count() << " s" << std::endl;
  if (!options.junit.empty()) report.write_junit(options.junit, took.count());
  return report.agrees() ? 0 : 1;
}

}  // namespace
}  // namespace pgc::agreement

int main(int argc, char** argv) {
  pgc::agreement::Options options;
  CLI::App app("Compares the engine's verdicts with kube-apiserver's");
  app.add_option("--crds", options.crds, "a folder of other projects' CRDs");
  app.add_option("--count", options.count, "how many requests");
  app.add_option("--seed", options.seed, "of what is made up");
  app.add_option("--threads", options.threads, "how many at once");
  app.add_option("--junit", options.junit, "where to write a report");
  app.add_option("--only", options.only, "resources whose name contains this");
  CLI11_PARSE(app, argc, argv);
  return pgc::agreement::run(options);
}
