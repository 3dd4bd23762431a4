#include "webhook/framing.h"

#include <algorithm>

#include "webhook/limits.h"

namespace pgc::webhook {

namespace {

constexpr std::size_t kMostDigits = 15;  // no number of these overflows

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

bool is_json(const std::string& type) {
  return type == "application/json" || type.starts_with("application/json;");
}

// Nothing where the body has a length that we read.
std::optional<HttpRefusal> refused_by_its_length(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) {
    return HttpRefusal{411, "send a Content-Length, not a Transfer-Encoding"};
  }
  const auto count = request.get_header_value_count("Content-Length");
  if (count == 0) return HttpRefusal{411, "send a Content-Length"};
  const std::string length = request.get_header_value("Content-Length");
  if (count > 1 || (!is_number(length) && length.size() <= kMostDigits)) {
    return HttpRefusal{400, "send one Content-Length, in decimal digits"};
  }
  if (!is_number(length) || std::stoull(length) > kLargestBody) {
    return HttpRefusal{
        413, "request entity is too large; limit is " + std::to_string(kLargestBody) + " bytes"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<HttpRefusal> refused_by_its_head(const httplib::Request& request,
                                               bool path_is_known) {
  if (!path_is_known) return HttpRefusal{404, "no such path"};
  // HTTP/1.1 wants one, and two of them are an attempt at something.
  if (request.get_header_value_count("Host") != 1) return HttpRefusal{400, "expected one Host"};
  if (request.method != "POST") return HttpRefusal{405, "expected POST"};
  if (auto refusal = refused_by_its_length(request)) return refusal;
  const std::string type = request.get_header_value("Content-Type");
  if (!is_json(type)) return HttpRefusal{415, "expected Content-Type application/json"};
  if (request.has_header("Content-Encoding")) {
    return HttpRefusal{415, "expected no Content-Encoding"};
  }
  // A part of an answer is no answer.
  if (request.has_header("Range")) return HttpRefusal{400, "expected no Range"};
  if (request.has_header("Upgrade")) return HttpRefusal{400, "expected no Upgrade"};
  return std::nullopt;
}

}  // namespace pgc::webhook
