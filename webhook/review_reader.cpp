#include "webhook/review_reader.h"

namespace pgc::webhook {

bool ReviewReader::read(std::string_view text) {
  open_.reserve(static_cast<std::size_t>(max_depth_));
  return Json::sax_parse(text, this);
}

bool ReviewReader::key(std::string& name) {
  if (skipped_from_ != 0) return true;
  next_ = open_.back().shape->of(name);
  if (next_ == nullptr) {
    skipped_from_ = depth_;
    return true;
  }
  name_ = std::move(name);
  return true;
}

ReviewReader::Json& ReviewReader::place(Json&& value) {
  if (open_.empty()) return root_ = std::move(value);
  const Open& around = open_.back();
  if (around.container->is_object())
    return (*around.container)[std::move(name_)] = std::move(value);
  next_ = around.shape;
  return around.container->emplace_back(std::move(value));
}

template <typename Value>
bool ReviewReader::scalar(Value&& value) {
  if (skipped_from_ == 0) place(Json(std::forward<Value>(value)));
  if (skipped_from_ == depth_) skipped_from_ = 0;
  return true;
}

bool ReviewReader::open(Json::value_t type) {
  too_deep_ = ++depth_ > max_depth_;
  if (skipped_from_ == 0) {
    Json& container = place(Json(type));
    open_.push_back({&container, next_});
  }
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
