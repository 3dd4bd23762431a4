// The parameters that an object gives, each looked up and read once, for all rules that ask.
//
// Refers into the object; make a new one for another.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/schema/rules/parameter_table.h"
#include "shared/schema/structural/field_path.h"

namespace pgc::schema {

using Json = nlohmann::json;

struct GivenParameter {
  const std::string* name;  // as written
  const Json* json;         // the value as it came
  bool is_text = false;     // a string or an integer, as the schema wants it
  std::string text;
  const Parameter* parameter = nullptr;  // null: none is known by that name
  bool is_taken = false;                 // PostgreSQL takes the value
  double value = 0;                      // where it does, see read_value

  FieldPath path() const;
};

class GivenParameters {
 public:
  explicit GivenParameters(const Json& object);

  int major() const { return major_; }  // of spec.version; 0 where there is none that we serve
  const std::vector<GivenParameter>& all() const { return all_; }

  const GivenParameter* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // As given, else PostgreSQL's default; in the parameter's unit (read_value). Nothing where what
  // is given cannot be read, or the major has no such parameter.
  std::optional<double> value(std::string_view name) const;
  // The same of an amount of memory, in bytes.
  std::optional<double> bytes(std::string_view name) const;

 private:
  int major_ = 0;
  std::vector<GivenParameter> all_;
};

}  // namespace pgc::schema
