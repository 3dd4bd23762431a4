// The formats of strings that the API server checks (k8s.io/kube-openapi/pkg/validation/strfmt).
#pragma once

#include <string>
#include <string_view>

namespace pgc::schema {

// The check of a format, dashes in its name left out; null for a format that is not checked.
bool (*format_check(std::string_view format))(const std::string& text);

bool is_uri(const std::string& text);
bool is_email(const std::string& text);

bool is_ipv4(const std::string& text);
bool is_ipv6(const std::string& text);
bool is_cidr(const std::string& text);
bool is_mac(const std::string& text);

}  // namespace pgc::schema
