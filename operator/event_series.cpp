#include "operator/event_series.h"

namespace pgc {

EventSeries::Decision EventSeries::happened(const Key& key, TimePoint now) {
  drop_ended(now);
  const auto found = series_.find(key);
  if (found == series_.end() || ended(found->second, now)) return {.write = Write::kCreate};
  Series& series = found->second;
  series.last = now;
  ++series.count;
  if (series.count > 2 && now - series.written < kPause) return {};
  series.written = now;
  return {.write = Write::kCount, .name = series.name, .count = series.count};
}

void EventSeries::stands(const Key& key, const std::string& name, TimePoint now) {
  if (series_.size() < kMost) series_[key] = {.name = name, .last = now, .written = now};
}

void EventSeries::drop_ended(TimePoint now) {
  if (now - dropped_ < kPause) return;
  dropped_ = now;
  std::erase_if(series_, [&](const auto& entry) { return ended(entry.second, now); });
}

}  // namespace pgc
