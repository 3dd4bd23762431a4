#include "tests/support/api_answer.h"

#include <nlohmann/json.hpp>

namespace pgc::test {
namespace {

using kube::Error;
using kube::ObjectRef;

// "statefulsets.apps \"my-db-1\""
std::string quoted(const ObjectRef& ref) {
  std::string resource(ref.type.plural);
  if (!ref.type.group.empty()) resource += "." + std::string(ref.type.group);
  return resource + " \"" + ref.name + "\"";
}

}  // namespace

std::unexpected<Error> answer(int code, const std::string& reason, const std::string& message) {
  const kube::Json status = {{"kind", "Status"}, {"reason", reason}, {"message", message}};
  return std::unexpected(kube::error_from_answer(code, status.dump()));
}

std::unexpected<Error> not_found(const ObjectRef& ref) {
  return answer(404, "NotFound", quoted(ref) + " not found");
}

std::unexpected<Error> already_exists(const ObjectRef& ref, bool being_deleted) {
  const std::string prefix = being_deleted ? "object is being deleted: " : "";
  return answer(409, "AlreadyExists", prefix + quoted(ref) + " already exists");
}

std::unexpected<Error> conflict(const ObjectRef& ref, const std::string& why) {
  return answer(409, "Conflict", "Operation cannot be fulfilled on " + quoted(ref) + ": " + why);
}

std::unexpected<Error> invalid(const ObjectRef& ref, std::vector<kube::Cause> causes) {
  std::string text;
  for (const kube::Cause& cause : causes) {
    if (!text.empty()) text += ", ";
    text += cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) text = "[" + text + "]";
  auto refusal = answer(422, "Invalid",
                        std::string(ref.type.kind) + " \"" + ref.name + "\" is invalid: " + text);
  refusal.error().causes = std::move(causes);
  return refusal;
}

std::unexpected<Error> not_implemented(const std::string& what) {
  return answer(501, "NotImplemented", "the API server in memory has no " + what);
}

}  // namespace pgc::test
