// An AdmissionReview's text, read once and only as far as it is needed.
//
// Who asks, with which options, and who manages which field is most of a review and nothing to us:
// it is checked to be JSON and passed over. Nothing recurses, so the depth of the text costs no
// stack. For envelope.cpp.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::webhook {

// A consumer of nlohmann's SAX events.
class ReviewReader {
 public:
  using Json = nlohmann::json;

  // Depth: of brackets within the whole review.
  explicit ReviewReader(int max_depth) : max_depth_(max_depth) {}

  // False where the text is no JSON, or too deep; what came before that is in review() all the
  // same.
  bool read(std::string_view text);
  bool too_deep() const { return too_deep_; }
  Json& review() { return root_; }

  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(std::int64_t value) { return scalar(value); }
  bool number_unsigned(std::uint64_t value) { return scalar(value); }
  bool number_float(double value, const std::string&) { return scalar(value); }
  bool string(std::string& value) { return scalar(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::value_t::object); }
  bool start_array(std::size_t) { return open(Json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name);
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }

 private:
  template <typename Value>
  bool scalar(Value&& value);
  bool open(Json::value_t type);
  bool close();
  Json& place(Json&& value);
  bool is_of_interest(const std::string& name) const;

  const int max_depth_;
  bool too_deep_ = false;
  int depth_ = 0;
  int skipped_from_ = 0;  // the depth at which a value that is passed over stands; 0: none
  Json root_;
  std::vector<Json*> open_;  // the containers around the present place
  std::string name_;         // of the member that comes next
  // Names of the members that lead here, as far down as one is passed over.
  std::array<std::string, 5> way_;
};

}  // namespace pgc::webhook
