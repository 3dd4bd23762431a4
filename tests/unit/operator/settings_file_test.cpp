#include "operator/settings_file.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/files.h"

namespace pgc {
namespace {

const std::string kFine = "images: {'16': {image: pg:16}}\nagentImage: a\n";

TEST_CASE("what is wrong with a settings file is told with its path") {
  const test::Files files;
  struct Case {
    const char* text;
    std::string says;
  };
  const Case cases[] = {
      {"images: [\n", ": line "},
      {"", ": must hold one map of settings"},
      {"images: {'16': {image: pg}}\nagentImage: a\nstorageclass: fast\n",
       ": unknown setting \"storageclass\"; there are agentImage, imagePullPolicy, images, "
       "storageClass, tls"},
      {"agentImage: a\n", ": images: must be"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const std::string path = files.write("settings.yaml", c.text);
    const auto settings = SettingsFile(path).read();
    REQUIRE_FALSE(settings);
    INFO(settings.error());
    CHECK(settings.error().starts_with(path + c.says));
    CHECK(settings.error().find('\n') == std::string::npos);
  }
  const auto missing = SettingsFile(files.path("absent")).read();
  REQUIRE_FALSE(missing);
  CHECK(missing.error() == "cannot read " + files.path("absent"));
}

TEST_CASE("a settings file is read again when it says something else, right or wrong") {
  const test::Files files;
  SettingsFile file(files.write("settings.yaml", kFine));
  REQUIRE(file.read().has_value());
  CHECK_FALSE(file.read_if_changed().has_value());
  files.write("settings.yaml", kFine + "storageClass: fast\n");
  const auto changed = file.read_if_changed();
  REQUIRE(changed.has_value());
  REQUIRE(changed->has_value());
  CHECK((*changed)->storage_class == "fast");
  CHECK_FALSE(file.read_if_changed().has_value());
  files.write("settings.yaml", "x: y\n");
  const auto wrong = file.read_if_changed();
  REQUIRE(wrong.has_value());
  CHECK_FALSE(wrong->has_value());
  CHECK_FALSE(file.read_if_changed().has_value());  // told once
  files.write("settings.yaml", kFine);
  CHECK(file.read_if_changed().has_value());
}

TEST_CASE("a settings file that is away for a moment has not changed") {
  const test::Files files;
  const std::string path = files.write("settings.yaml", kFine);
  SettingsFile file(path);
  REQUIRE(file.read().has_value());
  std::filesystem::remove(path);
  CHECK_FALSE(file.read_if_changed().has_value());
  files.write("settings.yaml", kFine);
  CHECK_FALSE(file.read_if_changed().has_value());
}

}  // namespace
}  // namespace pgc
