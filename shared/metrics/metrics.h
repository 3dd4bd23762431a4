// Numbers that Prometheus asks for: counters, gauges and histograms, and the text they are told in
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
//
// A Registry is filled at the start and then only counted up: what it hands out lives as long as
// itself, so whoever counts keeps the reference and pays an atomic addition. Safe from several
// threads. Durations are in seconds, sizes in bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pgc::metrics {

// Sorted by name, so that the same labels are the same series.
using Labels = std::map<std::string, std::string>;

class Counter {
 public:
  void add(std::uint64_t amount = 1) { value_.fetch_add(amount, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

class Histogram {
 public:
  // Upper bounds in ascending order; the one at infinity is always there.
  explicit Histogram(std::vector<double> bounds);

  void observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  // How many were at most the i-th bound; one more than there are bounds.
  std::vector<std::uint64_t> cumulative() const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_ = 0;
};

class Registry {
 public:
  Registry();
  ~Registry();

  // The series of that name and labels, made at the first call. A name has one kind and one help
  // text, those of its first call.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help,
                       const std::vector<double>& bounds, const Labels& labels = {});
  // A counter that somebody else keeps (CPU seconds), set like a gauge before each text.
  Gauge& outside_counter(const std::string& name, const std::string& help);

  // Called at the beginning of text(), to set what is measured rather than counted.
  void before_text(std::function<void()> measure);

  // Everything, in the order of the names.
  std::string text() const;

 private:
  struct Family;
  Family& family(const std::string& name, const std::string& help, const char* kind);

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Family>> families_;
  std::vector<std::function<void()>> measures_;
};

// The Content-Type of text().
inline constexpr const char* kTextType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace pgc::metrics
