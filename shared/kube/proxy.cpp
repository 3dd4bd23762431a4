#include "shared/kube/proxy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <vector>

namespace pgc::kube {
namespace {

using Environment = std::function<std::optional<std::string>(const std::string&)>;

Error refuse(std::string_view where, const std::string& why) {
  return {.kind = ErrorKind::kConfiguration, .message = std::string(where) + ": " + why};
}

std::optional<int> number_of(std::string_view text, int most, int base = 10) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number >= 0 && number <= most ? std::optional(number) : std::nullopt;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? number_of(text.substr(i + 1, 2), 255, 16) : std::nullopt;
    result += byte ? static_cast<char>(*byte) : text[i];
    if (byte) i += 2;
  }
  return result;
}

// --- Addresses, as 16 bytes; those of IPv4 are mapped ---

using Address = std::array<unsigned char, 16>;

std::optional<Address> ipv4(std::string_view text) {
  Address address{};
  address[10] = address[11] = 0xff;
  for (std::size_t i = 12; i < 16; ++i) {
    const auto dot = text.find('.');
    if ((dot == std::string_view::npos) != (i == 15)) return std::nullopt;
    const auto number = number_of(text.substr(0, dot), 255);
    if (!number) return std::nullopt;
    address[i] = static_cast<unsigned char>(*number);
    if (i < 15) text.remove_prefix(dot + 1);
  }
  return address;
}

// The groups of "2001:db8:0", or nothing; "" has none. Its last may be an address of IPv4.
std::optional<std::vector<unsigned char>> ipv6_groups(std::string_view text) {
  std::vector<unsigned char> bytes;
  while (!text.empty()) {
    const auto colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (const auto inner = colon == std::string_view::npos ? ipv4(group) : std::nullopt) {
      bytes.insert(bytes.end(), inner->begin() + 12, inner->end());
      return bytes;
    }
    const auto number = group.size() <= 4 ? number_of(group, 0xffff, 16) : std::nullopt;
    if (!number || colon + 1 == text.size()) return std::nullopt;
    bytes.push_back(static_cast<unsigned char>(*number >> 8));
    bytes.push_back(static_cast<unsigned char>(*number & 0xff));
    text = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  }
  return bytes;
}

std::optional<Address> ipv6(std::string_view text) {
  const auto gap = text.find("::");
  const auto head = ipv6_groups(text.substr(0, gap));
  const auto tail = ipv6_groups(gap == std::string_view::npos ? "" : text.substr(gap + 2));
  if (!head || !tail) return std::nullopt;
  const std::size_t count = head->size() + tail->size();
  if (gap == std::string_view::npos ? count != 16 : count > 14) return std::nullopt;
  Address address{};
  std::copy(head->begin(), head->end(), address.begin());
  std::copy(tail->rbegin(), tail->rend(), address.rbegin());
  return address;
}

std::optional<Address> parse_address(std::string_view text) {
  return text.find(':') == std::string_view::npos ? ipv4(text) : ipv6(text);
}

bool is_loopback(const Address& address) {
  Address first{};
  first[10] = first[11] = 0xff;
  first[12] = 127;
  Address six{};
  six[15] = 1;
  return address == six || std::equal(first.begin(), first.begin() + 13, address.begin());
}

// "10.0.0.0/8", nothing where it is of another form.
std::optional<bool> in_cidr(std::string_view text, const std::optional<Address>& host) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto net = parse_address(text.substr(0, slash));
  const bool four = text.find(':') == std::string_view::npos;
  auto bits = number_of(text.substr(slash + 1), four ? 32 : 128);
  if (!net || !bits) return std::nullopt;
  if (!host) return false;
  if (four) *bits += 96;
  for (int bit = 0; bit < *bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    if ((((*net)[byte] ^ (*host)[byte]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

// --- One entry of NO_PROXY ---

struct HostAndPort {
  std::string_view host;
  std::string_view port;  // empty: any
};

HostAndPort split_port(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    const std::string_view rest = end == std::string_view::npos ? "" : text.substr(end + 1);
    return {text.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : ""};
  }
  const auto colon = text.rfind(':');
  // An address of IPv6 without brackets has no port.
  if (colon == std::string_view::npos || text.find(':') != colon) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// "example.com" names itself and what is in it, ".example.com" and "*.example.com" only the latter.
bool names(std::string_view pattern, std::string_view host) {
  if (pattern.starts_with("*.")) pattern.remove_prefix(1);
  if (pattern.starts_with('.')) return host.ends_with(pattern);
  if (host == pattern) return true;
  return host.ends_with(pattern) && host[host.size() - pattern.size() - 1] == '.';
}

bool matches(std::string_view entry, std::string_view host, int port) {
  if (entry == "*") return true;
  const auto address = parse_address(host);
  if (const auto inside = in_cidr(entry, address)) return *inside;
  const auto [pattern, wanted] = split_port(entry);
  if (pattern.empty() || (!wanted.empty() && wanted != std::to_string(port))) return false;
  if (const auto named = parse_address(pattern)) return named == address;
  return names(pattern, host);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// HTTPS_PROXY, or in lower case; which of them it was is for the message.
std::pair<std::string, std::string> variable(const Environment& environment,
                                             const std::string& name) {
  for (const std::string& spelled : {name, lower(name)}) {
    if (auto value = environment(spelled).value_or(""); !value.empty()) return {spelled, value};
  }
  return {};
}

}  // namespace

Result<Proxy> parse_proxy_url(std::string_view text, std::string_view where) {
  std::string_view rest = text;
  std::string scheme = "http";
  if (const auto end = rest.find("://"); end != std::string_view::npos) {
    scheme = lower(rest.substr(0, end));
    rest.remove_prefix(end + 3);
  }
  if (scheme != "http") {
    return std::unexpected(refuse(where, "not supported: a proxy by " + scheme +
                                             "; give one by http, which can carry TLS as well"));
  }
  Proxy proxy;
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  const auto at = authority.rfind('@');
  if (at != std::string_view::npos) {
    const auto colon = std::min(authority.find(':'), at);
    proxy.username = percent_decoded(authority.substr(0, colon));
    proxy.password =
        percent_decoded(authority.substr(std::min(colon + 1, at), at - std::min(colon + 1, at)));
  }
  const auto place = at == std::string_view::npos ? authority : authority.substr(at + 1);
  const auto url = parse_server_url("http://" + std::string(place));
  if (!url)
    return std::unexpected(refuse(where, "this is no URL of a proxy, such as http://proxy:3128"));
  proxy.host = url->host;
  proxy.port = url->port;
  return proxy;
}

bool goes_without_proxy(std::string_view no_proxy, std::string_view name, int port) {
  const std::string host = lower(name);
  const auto address = parse_address(host);
  if (host == "localhost" || (address && is_loopback(*address))) return true;
  while (!no_proxy.empty()) {
    const auto comma = no_proxy.find(',');
    const std::string entry = lower(trimmed(no_proxy.substr(0, comma)));
    if (!entry.empty() && matches(entry, host, port)) return true;
    no_proxy = comma == std::string_view::npos ? "" : no_proxy.substr(comma + 1);
  }
  return false;
}

Result<std::optional<Proxy>> choose_proxy(const std::string& proxy_url, const ServerUrl& server,
                                          const Environment& environment) {
  std::string where = "proxy-url of the kubeconfig";
  std::string url = proxy_url;
  if (url.empty()) {
    std::tie(where, url) = variable(environment, server.tls ? "HTTPS_PROXY" : "HTTP_PROXY");
    const std::string except = variable(environment, "NO_PROXY").second;
    if (url.empty() || goes_without_proxy(except, server.host, server.port)) return std::nullopt;
  }
  auto proxy = parse_proxy_url(url, where);
  if (!proxy) return std::unexpected(proxy.error());
  return *std::move(proxy);
}

}  // namespace pgc::kube
