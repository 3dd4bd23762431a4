#include "plugin/verbs/version.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "pgc_version.h"
#include "plugin/process.h"

namespace pgc::plugin {

void version(VersionFormat format, std::ostream& out) {
  if (format == VersionFormat::kText) {
    out << "kubectl pgc " << kVersion << " (commit " << kCommit << ", " << platform() << ")\n";
    return;
  }
  // The fields of `kubectl version -o json`.
  const nlohmann::ordered_json document{
      {"clientVersion",
       {{"gitVersion", kVersion}, {"gitCommit", kCommit}, {"platform", platform()}}}};
  out << document.dump(2) << '\n';
}

}  // namespace pgc::plugin
