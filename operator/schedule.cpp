#include "operator/schedule.h"

#include <algorithm>

namespace pgc {

using std::chrono::milliseconds;

void Schedule::add(const ClusterKey& key, TimePoint now) {
  const auto at = entries_.try_emplace(key).first;
  at->second.state.repeats = 0;
  if (now < at->second.held) return add_at(key, at->second.held);
  make_due(at, now);
}

void Schedule::make_due(Entries::iterator at, TimePoint since) {
  Entry& entry = at->second;
  if (entry.state.waiting) return;
  entry.state.waiting = true;
  entry.since = since;
  if (!entry.state.taken) ready_.push_back(at);
}

// What has woken it during the turn that failed, or was to, waits as well.
void Schedule::hold(Entries::iterator at, TimePoint until) {
  Entry& entry = at->second;
  entry.held = until;
  if (entry.state.taken) entry.state.waiting = false;
  if (entry.state.alarm && *entry.state.alarm < until) end_alarm(at);
}

void Schedule::add_at(const ClusterKey& key, TimePoint due) {
  const auto at = entries_.try_emplace(key).first;
  due = std::max(due, at->second.held);
  if (at->second.state.alarm && *at->second.state.alarm <= due) return;
  end_alarm(at);
  at->second.state.alarm = due;
  alarms_.emplace(due, key);
}

milliseconds Schedule::add_failed(const ClusterKey& key, const Retry& retry, TimePoint now,
                                  double random) {
  const auto at = entries_.try_emplace(key).first;
  const auto grown = kube::backoff(retry.backoff, ++at->second.state.failures, random);
  const auto wait = std::max(grown, retry.at_least);
  if (retry.at_least > milliseconds(0)) hold(at, now + retry.at_least);
  add_at(key, now + wait);
  return wait;
}

void Schedule::forget(const ClusterKey& key, int State::* count) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  at->second.state.*count = 0;
  drop_idle(at);
}

void Schedule::forget_failures(const ClusterKey& key) {
  forget(key, &State::failures);
}

void Schedule::add_repeat(const ClusterKey& key, const kube::BackoffLimits& limits, TimePoint now,
                          double random) {
  State& state = entries_[key].state;
  add_at(key, now + kube::backoff(limits, ++state.repeats, random));
}

void Schedule::forget_repeats(const ClusterKey& key) {
  forget(key, &State::repeats);
}

std::optional<Schedule::Turn> Schedule::take(TimePoint now) {
  while (!alarms_.empty() && alarms_.begin()->first <= now) {
    const auto [due, key] = *alarms_.begin();
    const auto at = entries_.find(key);
    end_alarm(at);
    make_due(at, due);
  }
  if (ready_.empty()) return std::nullopt;
  const auto at = ready_.front();
  ready_.pop_front();
  end_alarm(at);
  at->second.state.waiting = false;
  at->second.state.taken = true;
  return Turn{.key = at->first, .waited = now - at->second.since};
}

void Schedule::done(const ClusterKey& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  at->second.state.taken = false;
  if (at->second.state.waiting) ready_.push_back(at);
  drop_idle(at);
}

std::optional<Schedule::TimePoint> Schedule::next_alarm() const {
  if (alarms_.empty()) return std::nullopt;
  return alarms_.begin()->first;
}

Schedule::State Schedule::state(const ClusterKey& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? State{} : found->second.state;
}

void Schedule::end_alarm(Entries::iterator at) {
  if (!at->second.state.alarm) return;
  alarms_.erase({*at->second.state.alarm, at->first});
  at->second.state.alarm.reset();
}

void Schedule::drop_idle(Entries::iterator at) {
  const State& state = at->second.state;
  const bool counts = state.failures > 0 || state.repeats > 0;
  if (!state.waiting && !state.taken && !state.alarm && !counts) entries_.erase(at);
}

}  // namespace pgc
