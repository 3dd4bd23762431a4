#include "shared/schema/structural/format.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "shared/schema/structural/time_format.h"

using namespace pgc::schema;

namespace {

struct Case {
  std::string_view format;
  std::vector<std::string> right;
  std::vector<std::string> wrong;
};

}  // namespace

TEST_CASE("formats are checked as the API server checks them") {
  const Case cases[] = {
      {"ipv4",
       {"10.0.0.1", "010.0.0.1", "::ffff:1.2.3.4"},
       {"10.0.0", "256.1.1.1", "::1", "a", ""}},
      {"ipv6",
       {"::1", "2001:db8::1", "::ffff:1.2.3.4", "::"},
       {"10.0.0.1", ":::", "1::2::3", "12345::"}},
      {"cidr", {"10.0.0.0/8", "::/0"}, {"10.0.0.0/33", "10.0.0.0", "::/129"}},
      {"mac", {"01:23:45:67:89:ab", "0123.4567.89ab"}, {"01:23:45:67:89", "01:23-45:67:89:ab"}},
      {"uri",
       {"http://a/b?c=%20", "/abs", "mailto:a@b", "http://[::1]:80/"},
       {"a.b", "", "./rel", "http://a b/", "http://a:x/", "http://a/%zz", "http://a.b#c", "://a"}},
      {"email", {"a@b", "A <a@b.c>", "\"x y\"@b.c"}, {"a", "@b", "a@", "a b@c", "a@b c"}},
      {"hostname",
       {"a.example.com", "localhost", "föö.de", "a-b"},
       {"-a", "a_b", "a..b", "", "a.1"}},
      {"uuid", {"123e4567-e89b-12d3-a456-426614174000"}, {"123e4567"}},
      {"isbn", {"3836221195", "978-3-8362-2119-1"}, {"3836221190", "x"}},
      {"creditcard", {"4220 8554 2622 2389"}, {"4220855426213389"}},
      {"ssn", {"111-22-3333"}, {"111223333"}},
      {"hexcolor", {"#fff", "0a0B0c"}, {"#ff"}},
      {"rgbcolor", {"rgb(0, 31, 255)"}, {"rgb(0,31,256)"}},
      {"byte", {"aGVsbG8=", "aGVs"}, {"aGVsbG8", "", "a b="}},
      {"password", {"", "anything"}, {}},
      {"date", {"2024-02-29"}, {"2023-02-29", "2026-13-01", "2026-1-1"}},
      {"date-time",
       {"2026-01-31T12:00:00Z", "2026-01-31t12:00:00.5+02:00"},
       {"2026-01-31", "2026-01-31T24:00:00Z", "2026-01-31T12:00Z"}},
      {"duration", {"1h30m", "22 ns", "3 days", "-1.5s", "0"}, {"1", "x", "", "1y"}},
      {"bsonobjectid", {"507f1f77bcf86cd799439011"}, {"507f"}},
      {"k8s-short-name", {"my-db"}, {"My-db", "a.b", "-a"}},
      {"k8s-long-name", {"a.b-c"}, {"a..b", "A"}},
  };
  for (const Case& c : cases) {
    const auto check = format_check(c.format);
    CAPTURE(c.format);
    REQUIRE(check != nullptr);
    for (const std::string& text : c.right) {
      CAPTURE(text);
      CHECK(check(text));
    }
    for (const std::string& text : c.wrong) {
      CAPTURE(text);
      CHECK_FALSE(check(text));
    }
  }
  CHECK(format_check("time") == nullptr);
  CHECK(format_check("int-or-string") == nullptr);
}

TEST_CASE("a metav1.Time is RFC 3339") {
  CHECK(is_rfc3339("2026-01-31T12:00:00Z"));
  CHECK(is_rfc3339("2026-01-31T12:00:00.123+02:00"));
  CHECK_FALSE(is_rfc3339("2026-01-31T12:00:00"));
  CHECK_FALSE(is_rfc3339("2026-02-30T12:00:00Z"));
  CHECK_FALSE(is_rfc3339("yesterday"));
}
