#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tests/unit/webhook/abuses.h"
#include "tests/unit/webhook/review_support.h"
#include "tests/unit/webhook/server_support.h"

namespace pgc::webhook::testing {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return random() % limit;
}

std::string bytes(Random& random, std::size_t most) {
  std::string text(1 + below(random, most), '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

const Json& a_review_of_everything() {
  static const Json review = a_review(
      "UPDATE",
      cluster({{"version", "16"},
               {"replicas", 3},
               {"storage", {{"size", "20Gi"}}},
               {"postgresql", {{"parameters", {{"work_mem", "64MB"}, {"max_connections", 200}}}}}}),
      cluster({{"version", "16"}}));
  return review;
}

// As the API server writes it: who asks comes first.
std::string text_of(const Json& review) {
  std::string text = review.dump();
  const std::string uid = "\"uid\":\"" + std::string(kUid) + "\"";
  const auto found = text.find(uid);
  if (found == std::string::npos) return text;
  text.erase(found - 1, uid.size() + 1);
  return text.replace(text.find("\"request\":{"), 11, "\"request\":{" + uid + ",");
}

std::string cut(Random& random) {
  const std::string text = text_of(a_review_of_everything());
  return text.substr(0, below(random, text.size()));
}

// Neither a control character nor a byte that is no UTF-8 may stand anywhere in JSON.
std::string spoilt(Random& random) {
  constexpr std::array<char, 6> kNever = {'\0', '\x01', '\x1f', '\x80', '\xc0', '\xff'};
  std::string text = text_of(a_review_of_everything());
  text[below(random, text.size())] = kNever[below(random, kNever.size())];
  return text;
}

std::string noise(Random& random) {
  return "\xfe" + bytes(random, 2'000);
}

std::string followed(Random& random) {
  constexpr std::array<const char*, 5> kTails = {"}", "{}", "\0x", ",", "]"};
  return text_of(a_review_of_everything()) + kTails[below(random, kTails.size())] + "x";
}

std::string deep(Random& random) {
  std::string text = text_of(a_review_of_everything());
  const std::size_t levels = 65 + below(random, 100'000);
  const bool lists = random() % 2 == 0;
  std::string nested;
  for (std::size_t i = 0; i < levels; ++i) nested += lists ? "[" : "{\"a\":";
  nested += "1" + std::string(levels, lists ? ']' : '}');
  return text.replace(text.find("\"object\":{") + 10, 0, "\"a\":" + nested + ",");
}

// Something else where the envelope wants what it wants. Each makes the review one that no hook may
// allow.
std::string mistyped(Random& random) {
  constexpr std::array<const char*, 7> kPlaces = {
      "/apiVersion",        "/kind",          "/request", "/request/uid", "/request/kind",
      "/request/operation", "/request/object"};
  const std::array<Json, 8> kValues = {Json(),   Json(7),       Json(1e300),       Json(true),
                                       Json(""), Json("PATCH"), Json::array({{}}), Json::array()};
  Json review = a_review_of_everything();
  const std::string place = kPlaces[below(random, kPlaces.size())];
  Json value = kValues[below(random, kValues.size())];
  if (place == "/request/uid" && value == "PATCH") value = 7;  // a uid may be any word
  review[Json::json_pointer(place)] = std::move(value);
  return text_of(review);
}

// Numbers and words that JSON does not have.
std::string no_value(Random& random) {
  constexpr std::array<const char*, 10> kValues = {
      "NaN", "Infinity", "-", "01", "1.", ".5", "0x10", "1e999999", "undefined", "'3'"};
  std::string text = text_of(a_review_of_everything());
  return text.replace(text.find("\"replicas\":3") + 11, 1, kValues[below(random, kValues.size())]);
}

}  // namespace

std::string malformed_body(int number) {
  constexpr std::array kKinds = {cut, spoilt, noise, followed, deep, mistyped, no_value};
  Random random(static_cast<unsigned>(number));
  // Deep ones are large; one in a hundred is enough.
  const auto kind = static_cast<std::size_t>(number) % kKinds.size();
  if (kKinds[kind] == deep && number % 100 >= 10) return cut(random);
  return kKinds[kind](random);
}

namespace {

// In these, {} stands for something that is made up anew each time.
struct Template {
  const char* name;
  std::string bytes;
  bool half_close = false;
  bool may_be_closed = false;
};

std::string head(const std::string& request_line, const std::string& headers = {}) {
  return request_line + "\r\nHost: x\r\nContent-Type: application/json\r\n" + headers + "\r\n";
}

std::string posted(const std::string& headers, const std::string& body) {
  return head("POST " + kPath + " HTTP/1.1", headers) + body;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string with_nul(std::string text) {
  text[text.find('@')] = '\0';
  return text;
}

std::vector<Template> request_lines() {
  const std::string line = "POST " + kPath + " HTTP/1.1";
  const std::string good = a_good_review();
  const std::string length = "Content-Length: " + std::to_string(good.size()) + "\r\n";
  return {
      {"a word", "POST\r\n\r\n"},
      {"nothing", "\r\n\r\n"},
      {"no version", head("POST " + kPath, length) + good},
      {"small letters", head("post " + kPath + " HTTP/1.1", length) + good},
      {"a method of one's own", head("{} " + kPath + " HTTP/1.1", length) + good},
      {"HTTP/2.0", head("POST " + kPath + " HTTP/2.0", length) + good},
      {"HTTP/1.2", head("POST " + kPath + " HTTP/1.2", length) + good},
      {"HTTP/0.9", "GET " + kPath + "\r\n"},
      {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"a NUL in the target", with_nul(head("POST /@" + kPath + " HTTP/1.1", length)) + good},
      {"a NUL in the version", with_nul(head("POST " + kPath + " HTTP/1.1@", length)) + good},
      {"a path of somebody", head("POST /{} HTTP/1.1", length) + good},
      {"a way up", head("POST /../.." + kPath + " HTTP/1.1", length) + good},
      {"an encoded NUL", head("POST " + kPath + "%00 HTTP/1.1", length) + good},
      {"an encoded slash", head("POST /%2f" + kPath + " HTTP/1.1", length) + good},
      {"broken encoding", head("POST " + kPath + "%zz%u1 HTTP/1.1", length) + good},
      {"an absolute target", head("POST http://a.example" + kPath + " HTTP/1.1", length) + good},
      {"a star", head("OPTIONS * HTTP/1.1")},
      {"a long target", head("POST /" + std::string(9'000, 'a') + " HTTP/1.1", length) + good},
      {"an endless line", std::string(60'000, 'P'), true, true},
      {"GET", head("GET " + kPath + " HTTP/1.1")},
      {"GET with a body", head("GET " + kPath + " HTTP/1.1", length) + good},
      {"HEAD", head("HEAD " + kPath + " HTTP/1.1")},
      {"PUT", head("PUT " + kPath + " HTTP/1.1", length) + good},
      {"DELETE", head("DELETE " + kPath + " HTTP/1.1", length) + good},
      {"TRACE", head("TRACE " + kPath + " HTTP/1.1")},
      {"CONNECT", head("CONNECT a.example:443 HTTP/1.1")},
      {"HTTP/1.0 in chunks", head("POST " + kPath + " HTTP/1.0", "Transfer-Encoding: chunked\r\n")},
  };
}

std::vector<Template> lengths() {
  const std::string good = a_good_review();
  const std::string size = std::to_string(good.size());
  std::vector<Template> all;
  for (const char* value : {"-1", "+5", "0x10", "5,5", "1e3", "", "five", "5 5", "{}", "-{}", "5;5",
                            "18446744073709551616", "18446744073709551615", "9223372036854775808",
                            "99999999999999999999999999", "7340033", "1073741824"}) {
    all.push_back(
        {"an odd length", posted("Content-Length: " + std::string(value) + "\r\n", good)});
  }
  for (const char* second : {"1", "0", "-1"}) {
    all.push_back(
        {"two lengths",
         posted("Content-Length: " + size + "\r\nContent-Length: " + second + "\r\n", good)});
  }
  all.push_back({"one length twice",
                 posted("Content-Length: " + size + "\r\nContent-Length: " + size + "\r\n", good)});
  all.push_back({"no length", posted("", good)});
  all.push_back({"a space before the colon", posted("Content-Length : " + size + "\r\n", good)});
  all.push_back({"a body that stays away", posted("Content-Length: 5000\r\n", ""), true, true});
  all.push_back({"half a body", posted("Content-Length: 5000\r\n", good), true, true});
  all.push_back({"a body that never ends", posted("Content-Length: 5000\r\n", good), false, true});
  return all;
}

std::vector<Template> encodings() {
  const std::string good = a_good_review();
  const std::string size = "Content-Length: " + std::to_string(good.size()) + "\r\n";
  std::vector<Template> all;
  for (const char* value :
       {"chunked", "chunked, identity", "identity", "gzip, chunked", "xchunked", "\tchunked",
        "CHUNKED", "chunked\r\nTransfer-Encoding: chunked", "{}"}) {
    const std::string encoding = "Transfer-Encoding: " + std::string(value) + "\r\n";
    all.push_back({"an encoding", posted(encoding, "5\r\nhello\r\n0\r\n\r\n")});
    all.push_back({"an encoding and a length", posted(encoding + size, good)});
    all.push_back({"a length and an encoding", posted(size + encoding, good)});
  }
  for (const char* chunk :
       {"-2", "ffffffffffffffff", "fffffffffffffffff", "7fffffff", "0x5", "5;a=b", "{}", ""}) {
    all.push_back({"a chunk", posted("Transfer-Encoding: chunked\r\n",
                                     std::string(chunk) + "\r\nhello\r\n0\r\n\r\n")});
  }
  all.push_back({"a smuggled request", posted("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
                                              "0\r\n\r\n" + with_length(good))});
  all.push_back({"compressed", posted(size + "Content-Encoding: gzip\r\n", good)});
  return all;
}

std::vector<Template> headers() {
  const std::string good = a_good_review();
  const std::string size = "Content-Length: " + std::to_string(good.size()) + "\r\n";
  const std::string line = "POST " + kPath + " HTTP/1.1\r\n";
  return {
      {"ten thousand headers", posted(repeated("A: b\r\n", 10'000) + size, good)},
      {"a giant header", posted("A: " + std::string(60'000, 'x') + "\r\n" + size, good)},
      {"a header of 9 kB", posted("A: " + std::string(9'000, 'x') + "\r\n" + size, good)},
      {"no colon", posted("nonsense {}\r\n" + size, good)},
      {"no name", posted(": {}\r\n" + size, good)},
      {"a NUL in a value", with_nul(posted("A: b@c\r\n" + size, good))},
      {"a NUL in a name", with_nul(posted("A@: b\r\n" + size, good))},
      {"a folded line", posted("A: b\r\n {}: c\r\n" + size, good)},
      {"a lone CR", posted("A: b\rContent-Length: 3\r\n" + size, good)},
      {"no Host", line + "Content-Type: application/json\r\n" + size + "\r\n" + good},
      {"two Hosts", posted("Host: y\r\n" + size, good)},
      {"an Accept of commas", posted("Accept: ,,\r\n" + size, good)},
      {"a Range", posted("Range: bytes=0-0\r\n" + size, good)},
      {"a Range of a million",
       posted("Range: bytes=" + repeated("0-0,", 1'500) + "1-1\r\n" + size, good)},
      {"a nonsense Range", posted("Range: {}\r\n" + size, good)},
      {"an Upgrade", posted("Upgrade: h2c\r\nConnection: Upgrade\r\n" + size, good)},
      {"a WebSocket",
       head("GET " + kPath + " HTTP/1.1",
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")},
      {"too much, asked politely",
       posted("Expect: 100-continue\r\nContent-Length: 9000000\r\n", "")},
      {"another type", line + "Host: x\r\nContent-Type: {}\r\n" + size + "\r\n" + good},
      {"no type", line + "Host: x\r\n" + size + "\r\n" + good},
      {"a form", line + "Host: x\r\nContent-Type: multipart/form-data; boundary=" +
                     std::string(300, '(') + "\r\n" + size + "\r\n" + good},
      {"an encoded form", line + "Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
                              size + "\r\n" + good},
      {"headers without an end", line + "A: b\r\n", true, true},
      {"headers that never end", line + "A: b\r\n", false, true},
      {"lines that end in LF", "POST " + kPath + " HTTP/1.1\nHost: x\nContent-Length: 0\n\n", true,
       true},
      {"one that is refused, and one that would not be", with_length("{") + with_length(good)},
      {"noise", "{}\r\n\r\n"},
  };
}

const std::vector<Template>& templates() {
  static const std::vector<Template> all = [] {
    std::vector<Template> joined;
    for (const auto& part : {request_lines(), lengths(), encodings(), headers()}) {
      joined.insert(joined.end(), part.begin(), part.end());
    }
    return joined;
  }();
  return all;
}

// Letters and signs that HTTP has no use for in any of the places of {}.
std::string made_up(Random& random) {
  constexpr std::string_view kLetters = "abcXYZ!$&*_~^|";
  std::string text = "zz";
  for (std::size_t i = below(random, 40); i > 0; --i)
    text += kLetters[below(random, kLetters.size())];
  return text;
}

Abuse of_tls(Random& random) {
  const auto record = [](char type, std::size_t claimed, const std::string& content) {
    return std::string{type, '\x03', '\x01', static_cast<char>(claimed >> 8),
                       static_cast<char>(claimed & 0xff)} +
           content;
  };
  const std::array<std::pair<const char*, std::string>, 9> kinds = {{
      {"plain HTTP", with_length(a_good_review())},
      {"noise", bytes(random, 3'000)},
      {"a hello of SSL 2", std::string("\x80\x2e\x01\x00\x02", 5) + bytes(random, 41)},
      {"half a hello", record('\x16', 512, std::string("\x01\x00\x01\xfc\x03\x03", 6))},
      {"a hello of noise",
       record('\x16', 100, std::string("\x01\x00\x00\x60", 4) + bytes(random, 96))},
      {"a record that is too large", record('\x16', 0xffff, bytes(random, 3'000))},
      {"an alert", record('\x15', 2, std::string("\x02\x28", 2))},
      {"data before the handshake", record('\x17', 64, bytes(random, 64))},
      {"nothing", ""},
  }};
  const auto& [name, sent] = kinds[below(random, kinds.size())];
  return {.name = std::string("TLS: ") + name,
          .bytes = sent,
          .before_tls = true,
          .half_close = random() % 2 == 0,
          .may_be_closed = true};
}

}  // namespace

Abuse abuse_of_http(int number) {
  Random random(static_cast<unsigned>(number));
  if (number % 8 == 7) return of_tls(random);
  if (number % 40 == 12) {
    return {.name = "noise within TLS",
            .bytes = with_length(a_good_review()).substr(0, 40),
            .then_garbage = true,
            .may_be_closed = true};
  }
  const Template& chosen = templates()[below(random, templates().size())];
  Abuse abuse{.name = chosen.name,
              .bytes = chosen.bytes,
              .half_close = chosen.half_close,
              .may_be_closed = chosen.may_be_closed};
  for (auto at = abuse.bytes.find("{}"); at != std::string::npos && at < 2'000;
       at = abuse.bytes.find("{}", at)) {
    abuse.bytes.replace(at, 2, made_up(random));
  }
  return abuse;
}

}  // namespace pgc::webhook::testing
