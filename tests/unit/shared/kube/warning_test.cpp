#include "shared/kube/warning.h"

#include <catch2/catch_test_macros.hpp>

using pgc::kube::warning_text;

TEST_CASE("a warning header gives its text without quotes and escapes", "[kube]") {
  CHECK(warning_text(R"(299 - "metadata.finalizers: \"x\": prefer a domain")") ==
        R"(metadata.finalizers: "x": prefer a domain)");
  CHECK(warning_text(R"(299 kube-apiserver "v1 is deprecated" "Sat, 21 Nov 2026")") ==
        "v1 is deprecated");
  CHECK(warning_text(R"(299 - "")") == "");
}

TEST_CASE("what is no warning of the API server gives none", "[kube]") {
  for (const char* header : {"", "299", "299 - text", R"(199 - "other")", R"(299 - "cut)"}) {
    CAPTURE(header);
    CHECK_FALSE(warning_text(header));
  }
}
