// What a name must look like, in the API server's words (k8s.io/apimachinery/pkg/api/validate).
//
// Each function says what is wrong with a text; nothing: it is right.
#pragma once

#include <string>
#include <vector>

namespace pgc::schema {

using Complaints = std::vector<std::string>;

Complaints check_subdomain(const std::string& text);    // RFC 1123: db.example.com
Complaints check_label(const std::string& text);        // RFC 1123: my-db
Complaints check_1035_label(const std::string& text);   // begins with a letter
Complaints check_label_key(const std::string& text);    // example.com/name
Complaints check_label_value(const std::string& text);  // my_value
Complaints check_path_segment(const std::string& text);
Complaints check_path_segment_prefix(const std::string& text);

}  // namespace pgc::schema
