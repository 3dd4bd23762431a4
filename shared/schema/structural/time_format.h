// Dates, times and durations, as the API server reads them.
#pragma once

#include <string>

namespace pgc::schema {

bool is_date(const std::string& text);       // 2026-01-31
bool is_date_time(const std::string& text);  // the format date-time, laxer than RFC 3339
bool is_rfc3339(const std::string& text);    // a metav1.Time
bool is_duration(const std::string& text);   // Go's 1h30m, or "3 days"

}  // namespace pgc::schema
