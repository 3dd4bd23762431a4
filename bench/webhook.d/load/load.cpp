#include "bench/webhook.d/load/load.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/webhook.d/load/connection.h"

namespace pgc::bench {
namespace {

using Clock = std::chrono::steady_clock;

// What all connections share.
struct Run {
  const LoadOptions& options;
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end = begin + options.duration;
  std::atomic<std::uint64_t> next = 0;

  // When request `number` is due.
  Clock::time_point due(std::uint64_t number) const {
    if (options.rate <= 0) return Clock::now();
    const std::chrono::duration<double> after(static_cast<double>(number) / options.rate);
    return begin + std::chrono::duration_cast<Clock::duration>(after);
  }
};

std::uint32_t micros_since(Clock::time_point then) {
  const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - then);
  return static_cast<std::uint32_t>(passed.count());
}

void converse(Connection& connection, Run& run, std::vector<Review> reviews, LoadResult& result) {
  while (result.faults.empty()) {
    const std::uint64_t number = run.next++;
    const Clock::time_point due = run.due(number);
    if (due >= run.end) return;
    std::this_thread::sleep_until(due);
    Review& review = reviews[number % reviews.size()];
    review.set_uid(number);
    const auto reply = connection.post(review.request);
    const std::string fault =
        reply ? fault_of(review, reply->status, reply->body) : review.name + ": " + reply.error();
    if (fault.empty()) result.micros.push_back(micros_since(due));
    if (!fault.empty()) result.faults.push_back(fault);
  }
}

void append(LoadResult& all, LoadResult& part) {
  all.micros.insert(all.micros.end(), part.micros.begin(), part.micros.end());
  all.faults.insert(all.faults.end(), part.faults.begin(), part.faults.end());
}

}  // namespace

std::expected<LoadResult, std::string> load(const LoadOptions& options,
                                            const std::vector<Review>& reviews) {
  std::vector<Connection> connections;
  for (unsigned i = 0; i < options.connections; ++i) {
    auto connection = Connection::open(options.port, options.ca_file);
    if (!connection) return std::unexpected(connection.error());
    connections.push_back(std::move(*connection));
  }
  Run run{options};
  std::vector<LoadResult> parts(connections.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      threads.emplace_back([&, i] { converse(connections[i], run, reviews, parts[i]); });
    }
  }
  LoadResult result;
  result.seconds = std::chrono::duration<double>(Clock::now() - run.begin).count();
  for (LoadResult& part : parts) append(result, part);
  std::ranges::sort(result.micros);
  return result;
}

}  // namespace pgc::bench
