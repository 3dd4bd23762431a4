#include "operator/diary.h"

#include <algorithm>
#include <utility>

namespace pgc {
namespace {

constexpr std::size_t kMostReasons = 4;

}  // namespace

void Diary::woken(const ClusterKey& key, std::string why) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[key];
  if (std::ranges::find(entry.reasons, why) != entry.reasons.end()) return;
  if (entry.reasons.size() < kMostReasons) {
    entry.reasons.push_back(std::move(why));
  } else {
    ++entry.more_reasons;
  }
}

std::string Diary::reasons(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return "";
  std::string text;
  for (const std::string& reason : std::exchange(found->second.reasons, {})) {
    text += (text.empty() ? "" : ", ") + reason;
  }
  const auto more = std::exchange(found->second.more_reasons, 0);
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

void Diary::add(const ClusterKey& key, Report report) {
  const std::lock_guard lock(mutex_);
  Page& page = entries_[key].page;
  if (!report.did.empty()) page.last_deed = report;
  page.last = std::move(report);
}

void Diary::forget(const ClusterKey& key) {
  const std::lock_guard lock(mutex_);
  entries_.erase(key);
}

Diary::Page Diary::read(const ClusterKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? Page{} : found->second.page;
}

std::string first_lines(const std::vector<std::string>& lines, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
    text += (i == 0 ? "" : "\n") + lines[i];
  }
  if (lines.size() > most) text += "\nand " + std::to_string(lines.size() - most) + " more";
  return text;
}

}  // namespace pgc
