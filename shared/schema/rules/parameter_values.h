// Values of postgresql.conf, read exactly as PostgreSQL reads them (src/backend/utils/misc/guc.c).
//
// A property test holds this to real servers (tests/parameters).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "shared/schema/rules/parameter_table.h"

namespace pgc::schema {

// true, false, yes, no or a beginning of one, on, off, of, 1, 0; in any case, no blanks.
std::optional<bool> parse_boolean(std::string_view text);

// A number in `unit`, from a text that may name another one of the same dimension: 1.5GB, 500ms,
// 0x10. Integers are rounded; PostgreSQL's own bounds of them are the parameter's.
std::optional<double> parse_integer(const std::string& text, std::string_view unit = {});
std::optional<double> parse_real(const std::string& text, std::string_view unit = {});

// The value as a number: in the parameter's unit, 0 or 1, the position among an enum's values (its
// hidden ones last); 0 for a string. The error says what would be right.
std::expected<double, std::string> read_value(const Parameter& parameter, const std::string& text);

// Whether the text is one of the values that an enum advertises.
bool has_value(const Parameter& parameter, std::string_view text);

// Whether the text is a number without a unit.
bool lacks_unit(std::string_view text);
// 16384 and "8kB" give 128MB: the largest unit that leaves a whole number.
std::string amount_text(double number, std::string_view unit);
// How many bytes, or microseconds, a unit of a parameter is; 1 where it has none.
double size_of_unit(std::string_view unit);

}  // namespace pgc::schema
