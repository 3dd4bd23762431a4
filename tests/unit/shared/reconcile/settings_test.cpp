#include "shared/reconcile/settings.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::reconcile {
namespace {

TEST_CASE("settings are read") {
  const auto settings = parse_settings(R"(
images:
  "16": {image: "pg:16"}
  "17": {image: "pg:17", tls: false}
agentImage: agent:1
imagePullPolicy: Never
tls: {mode: Prefer}
storageClass: fast
)");
  REQUIRE(settings);
  CHECK(settings->images.at(16).image == "pg:16");
  CHECK(settings->images.at(16).tls);
  CHECK_FALSE(settings->images.at(17).tls);
  CHECK(settings->agent_image == "agent:1");
  CHECK(settings->image_pull_policy == "Never");
  CHECK(settings->tls == schema::TlsMode::kPrefer);
  CHECK(settings->storage_class == "fast");
}

TEST_CASE("what settings leave out has the safe default") {
  const auto settings = parse_settings("{images: {'16': {image: pg}}, agentImage: a}");
  REQUIRE(settings);
  CHECK(settings->tls == schema::TlsMode::kRequire);
  CHECK(settings->image_pull_policy == "IfNotPresent");
  CHECK(settings->storage_class.empty());
}

struct Bad {
  const char* text;
  const char* error;
};

TEST_CASE("bad settings are told with the field and what would be right") {
  for (const Bad& c : {
           Bad{"", "must hold one map of settings"},
           Bad{"- a", "must hold one map of settings"},
           Bad{"a: 1\n---\nb: 1", "must hold one map of settings"},
           Bad{"agentImage: a", "images: must be a map from a PostgreSQL major"},
           Bad{"{agentImage: a, images: {}}", "images: must be a map from a PostgreSQL major"},
           Bad{"{agentImage: a, images: [pg]}", "images: must be a map from a PostgreSQL major"},
           Bad{"{agentImage: a, images: {'sixteen': {image: pg}}}",
               "images: \"sixteen\" must be a major such as \"17\""},
           Bad{"{agentImage: a, images: {'-6': {image: pg}}}", "must be a major"},
           Bad{"{agentImage: a, images: {'999999999999': {image: pg}}}", "must be a major"},
           Bad{"{agentImage: a, images: {'16': {}}}", "images.16.image: must be the name"},
           Bad{"{agentImage: a, images: {'16': pg}}", "images.16.image: must be the name"},
           Bad{"{agentImage: a, images: {'16': {image: 7}}}", "images.16.image: must be the name"},
           Bad{"{agentImage: a, images: {'16': {image: pg, tls: 'no'}}}",
               "images.16.tls: must be true or false"},
           Bad{"{images: {'16': {image: pg}}}", "agentImage: must be the name of an image"},
           Bad{"{agentImage: a, images: {'16': {image: pg}}, tls: {mode: require}}",
               "tls.mode: must be Require or Prefer, not \"require\""},
       }) {
    CAPTURE(c.text);
    const auto settings = parse_settings(c.text);
    REQUIRE_FALSE(settings);
    CAPTURE(settings.error());
    CHECK(settings.error().find(c.error) != std::string::npos);
  }
}

TEST_CASE("settings that are no YAML are refused with a word about it") {
  const auto settings = parse_settings("{images: [");
  REQUIRE_FALSE(settings);
  CHECK_FALSE(settings.error().empty());
}

}  // namespace
}  // namespace pgc::reconcile
