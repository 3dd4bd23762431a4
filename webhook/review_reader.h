// An AdmissionReview's text, read as far as it goes: what a body that is no JSON says before it
// breaks can still be used, above all the uid by which an answer is known.
//
// The thorough way, for what json::Reader refuses: it is several times slower. Nothing recurses, so
// the depth of the text costs no stack. For envelope.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shared/json/shape.h"

namespace pgc::webhook {

// A consumer of nlohmann's SAX events.
class ReviewReader {
 public:
  using Json = nlohmann::json;

  // Depth: of brackets within the whole review. `shape` must outlive it.
  ReviewReader(int max_depth, const json::Shape& shape) : max_depth_(max_depth), next_(&shape) {}

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

  const int max_depth_;
  bool too_deep_ = false;
  int depth_ = 0;
  int skipped_from_ = 0;  // the depth at which a value that is passed over stands; 0: none
  Json root_;
  struct Open {
    Json* container;
    const json::Shape* shape;
  };
  std::vector<Open> open_;   // the containers around the present place
  std::string name_;         // of the member that comes next
  const json::Shape* next_;  // of the value that comes next
};

}  // namespace pgc::webhook
