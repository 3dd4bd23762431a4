#include "shared/kube/url.h"

#include <charconv>

namespace pgc::kube {
namespace {

// Without what may stand before an '@': it may be a password.
Error bad_url(std::string_view url) {
  const auto at = url.rfind('@');
  if (at != std::string_view::npos) url.remove_prefix(at + 1);
  return {.kind = ErrorKind::kConfiguration,
          .message = "server \"" + std::string(url) +
                     "\" is no URL of an API server, such as https://10.0.0.1:6443"};
}

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// Splits "host:port", "[::1]:port" or "host"; false where it is neither.
bool split_authority(std::string_view authority, ServerUrl& url) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos) return false;
    url.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const auto colon = authority.find(':');
    url.host = authority.substr(0, colon);
    port = colon == std::string_view::npos ? "" : authority.substr(colon);
  }
  if (port.empty()) return !url.host.empty();
  const auto [end, error] = std::from_chars(port.data() + 1, port.data() + port.size(), url.port);
  return port[0] == ':' && error == std::errc() && end == port.data() + port.size() &&
         url.port > 0 && url.port < 65536 && !url.host.empty();
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (unreserved(c)) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += '%';
    result += kHex[byte >> 4];
    result += kHex[byte & 0xf];
  }
  return result;
}

Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.tls = false;
    url.port = 80;
  } else if (rest.find("://") != std::string_view::npos) {
    return std::unexpected(bad_url(text));
  }
  const auto slash = rest.find('/');
  if (slash != std::string_view::npos) url.path = rest.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  if (!split_authority(rest.substr(0, slash), url)) return std::unexpected(bad_url(text));
  return url;
}

std::string collection_path(const ResourceType& type, std::string_view ns) {
  std::string path = type.group.empty() ? "/api/" : "/apis/" + std::string(type.group) + "/";
  path += type.version;
  if (type.namespaced && !ns.empty()) path += "/namespaces/" + percent_encoded(ns);
  return path + "/" + std::string(type.plural);
}

std::string object_path(const ObjectRef& ref, std::string_view subresource) {
  std::string path = collection_path(ref.type, ref.ns) + "/" + percent_encoded(ref.name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
  return path;
}

std::string query_string(const Query& query) {
  std::string text;
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    text += text.empty() ? '?' : '&';
    text += std::string(name) + "=" + percent_encoded(value);
  }
  return text;
}

}  // namespace pgc::kube
