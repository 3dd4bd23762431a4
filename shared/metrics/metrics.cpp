#include "shared/metrics/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pgc::metrics {

namespace {

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string escaped(const std::string& text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || (quotes && c == '"')) out += '\\';
      out += c;
    }
  }
  return out;
}

// `{a="b",le="1"}`, or nothing.
std::string braces(const Labels& labels, const std::string& bound = {}) {
  std::string inside;
  const auto add = [&](const std::string& name, const std::string& value) {
    inside += (inside.empty() ? "" : ",") + name + "=\"" + escaped(value, true) + "\"";
  };
  for (const auto& [name, value] : labels) add(name, value);
  if (!bound.empty()) add("le", bound);
  return inside.empty() ? "" : "{" + inside + "}";
}

void line(std::string& out, const std::string& name, const std::string& labels,
          const std::string& value) {
  out += name + labels + ' ' + value + '\n';
}

void write(std::string& out, const std::string& name, const Labels& labels, const Counter& series) {
  line(out, name, braces(labels), std::to_string(series.value()));
}

void write(std::string& out, const std::string& name, const Labels& labels, const Gauge& series) {
  line(out, name, braces(labels), number(series.value()));
}

void write(std::string& out, const std::string& name, const Labels& labels,
           const Histogram& series) {
  const auto counts = series.cumulative();
  for (std::size_t i = 0; i < series.bounds().size(); ++i) {
    line(out, name + "_bucket", braces(labels, number(series.bounds()[i])),
         std::to_string(counts[i]));
  }
  line(out, name + "_bucket", braces(labels, "+Inf"), std::to_string(counts.back()));
  line(out, name + "_sum", braces(labels), number(series.sum()));
  line(out, name + "_count", braces(labels), std::to_string(counts.back()));
}

template <typename Series, typename... Arguments>
Series& find_or_make(std::map<Labels, std::unique_ptr<Series>>& all, const Labels& labels,
                     const Arguments&... arguments) {
  auto& series = all[labels];
  if (!series) series = std::make_unique<Series>(arguments...);
  return *series;
}

template <typename Series>
void write_all(std::string& out, const std::string& name,
               const std::map<Labels, std::unique_ptr<Series>>& all) {
  for (const auto& [labels, series] : all) write(out, name, labels, *series);
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::observe(double value) {
  const auto bound = std::ranges::lower_bound(bounds_, value);
  const auto bucket = static_cast<std::size_t>(bound - bounds_.begin());
  counts_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::vector<std::uint64_t> Histogram::cumulative() const {
  std::vector<std::uint64_t> counts;
  std::uint64_t sum = 0;
  for (const auto& count : counts_) {
    sum += count.load(std::memory_order_relaxed);
    counts.push_back(sum);
  }
  return counts;
}

struct Registry::Family {
  std::string help;
  std::string kind;
  std::map<Labels, std::unique_ptr<Counter>> counters;
  std::map<Labels, std::unique_ptr<Gauge>> gauges;
  std::map<Labels, std::unique_ptr<Histogram>> histograms;
};

Registry::Registry() = default;
Registry::~Registry() = default;

Registry::Family& Registry::family(const std::string& name, const std::string& help,
                                   const char* kind) {
  auto& found = families_[name];
  if (!found) {
    found = std::make_unique<Family>();
    found->help = help;
    found->kind = kind;
  }
  return *found;
}

Counter& Registry::counter(const std::string& name, const std::string& help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  return find_or_make(family(name, help, "counter").counters, labels);
}

Gauge& Registry::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  return find_or_make(family(name, help, "gauge").gauges, labels);
}

Gauge& Registry::outside_counter(const std::string& name, const std::string& help) {
  const std::lock_guard lock(mutex_);
  return find_or_make(family(name, help, "counter").gauges, {});
}

Histogram& Registry::histogram(const std::string& name, const std::string& help,
                               const std::vector<double>& bounds, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  return find_or_make(family(name, help, "histogram").histograms, labels, bounds);
}

void Registry::before_text(std::function<void()> measure) {
  const std::lock_guard lock(mutex_);
  measures_.push_back(std::move(measure));
}

std::string Registry::text() const {
  const std::lock_guard lock(mutex_);
  for (const auto& measure : measures_) measure();
  std::string out;
  for (const auto& [name, family] : families_) {
    out += "# HELP " + name + ' ' + escaped(family->help, false) + '\n';
    out += "# TYPE " + name + ' ' + family->kind + '\n';
    write_all(out, name, family->counters);
    write_all(out, name, family->gauges);
    write_all(out, name, family->histograms);
  }
  return out;
}

}  // namespace pgc::metrics
