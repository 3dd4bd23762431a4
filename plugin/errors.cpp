#include "plugin/errors.h"

#include <algorithm>
#include <vector>

#include "plugin/printers/text.h"
#include "shared/kube/kubeconfig.h"
#include "shared/kube/object.h"

namespace pgc::plugin {
namespace {

using kube::Error;
using kube::ErrorKind;

std::vector<std::string> cause_lines(const Error& error) {
  std::vector<std::string> lines;
  for (const kube::Cause& cause : error.causes) {
    std::string line = cause.field.empty() ? cause.message : cause.field + ": " + cause.message;
    line = printable(line);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

// One cause stands behind the prefix, several below it.
std::string with_causes(const std::string& prefix, const Error& error) {
  const auto lines = cause_lines(error);
  if (lines.empty()) return prefix + printable(error.message) + "\n";
  if (lines.size() == 1) return prefix + lines[0] + "\n";
  std::string text = prefix + "\n";
  for (const std::string& line : lines) text += "* " + line + "\n";
  return text;
}

std::string host_of(const std::string& server) {
  const auto scheme = server.find("://");
  const std::string rest = scheme == std::string::npos ? server : server.substr(scheme + 3);
  return rest.substr(0, rest.find('/'));
}

// The API server answers a path that it does not serve without a metav1.Status.
bool resource_unknown(const Error& error) {
  return error.is(ErrorKind::kNotFound) && error.reason.empty();
}

std::string no_resource_type() {
  return "error: the server doesn't have a resource type \"" +
         std::string(kube::kPostgresClusters.plural) +
         "\"\nhint: pgc is not installed in this cluster; from a copy of its repository: kubectl "
         "apply -k manifests\n";
}

std::string no_answer(const Error& error, const Subject& subject) {
  if (error.reason == kube::kConnectionRefused) {
    return "The connection to the server " + host_of(subject.server) +
           " was refused - did you specify the right host or port?\n";
  }
  return "Unable to connect to the server: " + printable(error.message) + "\n";
}

std::string answer(const Error& error, const Subject& subject) {
  if (resource_unknown(error)) return no_resource_type();
  if (error.is(ErrorKind::kUnauthorized)) {
    return "error: You must be logged in to the server (" + printable(error.message) + ")\n";
  }
  if (error.is(ErrorKind::kInvalid) && !error.causes.empty()) {
    return with_causes("The " + std::string(kube::kPostgresClusters.kind) + " \"" + subject.name +
                           "\" is invalid: ",
                       error);
  }
  const std::string reason = error.reason.empty() ? "" : " (" + error.reason + ")";
  return "Error from server" + printable(reason) + ": " + printable(error.message) + "\n";
}

}  // namespace

std::string error_text(const Error& error, const Subject& subject) {
  if (error.reason == kube::kInvalidKubeconfig)
    return with_causes("Error in configuration: ", error);
  if (error.code != 0) return answer(error, subject);
  if (error.is(ErrorKind::kUnreachable) || error.is(ErrorKind::kTimeout)) {
    return no_answer(error, subject);
  }
  return "error: " + printable(error.message) + "\n";
}

}  // namespace pgc::plugin
