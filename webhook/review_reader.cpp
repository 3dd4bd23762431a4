#include "webhook/review_reader.h"

#include <algorithm>

namespace pgc::webhook {

namespace {

constexpr std::array<std::string_view, 3> kOfReview = {"apiVersion", "kind", "request"};
constexpr std::array<std::string_view, 8> kOfRequest = {
    "uid", "kind", "operation", "subResource", "namespace", "name", "object", "oldObject"};

bool among(const auto& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool ReviewReader::read(std::string_view text) {
  open_.reserve(static_cast<std::size_t>(max_depth_));
  return Json::sax_parse(text, this);
}

bool ReviewReader::is_of_interest(const std::string& name) const {
  if (depth_ == 1) return among(kOfReview, name);
  if (way_[1] != "request") return true;
  if (depth_ == 2) return among(kOfRequest, name);
  return depth_ != 4 || way_[3] != "metadata" || name != "managedFields";
}

bool ReviewReader::key(std::string& name) {
  if (skipped_from_ != 0) return true;
  if (!is_of_interest(name)) {
    skipped_from_ = depth_;
    return true;
  }
  if (static_cast<std::size_t>(depth_) < way_.size()) {
    way_[static_cast<std::size_t>(depth_)] = name;
  }
  name_ = std::move(name);
  return true;
}

ReviewReader::Json& ReviewReader::place(Json&& value) {
  if (open_.empty()) return root_ = std::move(value);
  Json& around = *open_.back();
  if (around.is_object()) return around[std::move(name_)] = std::move(value);
  return around.emplace_back(std::move(value));
}

template <typename Value>
bool ReviewReader::scalar(Value&& value) {
  if (skipped_from_ == 0) place(Json(std::forward<Value>(value)));
  if (skipped_from_ == depth_) skipped_from_ = 0;
  return true;
}

bool ReviewReader::open(Json::value_t type) {
  too_deep_ = ++depth_ > max_depth_;
  if (skipped_from_ == 0) open_.push_back(&place(Json(type)));
  return !too_deep_;
}

bool ReviewReader::close() {
  --depth_;
  if (skipped_from_ == 0) {
    open_.pop_back();
  } else if (skipped_from_ == depth_) {
    skipped_from_ = 0;
  }
  return true;
}

}  // namespace pgc::webhook
