#include "webhook/review.h"

#include <algorithm>
#include <exception>

#include "shared/schema/rules/rules.h"
#include "webhook/envelope.h"

namespace pgc::webhook {

namespace {

constexpr std::string_view kKind = "db.example.com/v1 PostgresCluster";

// An update that leaves the spec alone is never in question: finalizers must be able to go and
// labels to come on an object that a newer rule would refuse. The manifests' matchConditions say
// the same, so that such an update does not even need us; this is for configurations without them.
bool leaves_spec_alone(const Request& request) {
  if (request.operation != "UPDATE" || !request.old_object.is_object()) return false;
  return request.object.value("spec", Json()) == request.old_object.value("spec", Json());
}

bool concerns_us(const Request& request) {
  return (request.operation == "CREATE" || request.operation == "UPDATE") &&
         !leaves_spec_alone(request);
}

// Nothing where the request can be judged.
std::optional<Decision> unanswerable(const Request& request) {
  const auto bad = [](std::string message) {
    return refuse(400, "BadRequest", std::move(message));
  };
  if (request.kind != kKind) {
    return bad("this webhook judges " + std::string(kKind) + ", not " + request.kind +
               "; correct the rules of the webhook configuration");
  }
  const std::string& operation = request.operation;
  if (operation == "DELETE" || operation == "CONNECT") return std::nullopt;
  if (operation != "CREATE" && operation != "UPDATE") {
    return bad("unknown operation \"" + operation +
               "\"; expected CREATE, UPDATE, DELETE or CONNECT");
  }
  if (!request.object.is_object()) return bad(operation + " without an object");
  if (operation == "UPDATE" && !request.old_object.is_object()) {
    return bad("UPDATE without an oldObject");
  }
  return std::nullopt;
}

Decision mutate(const Request& request) {
  if (!concerns_us(request)) return {};
  // The patch is made from the raw document, so it cannot lose what this program does not know.
  Json defaulted = request.object;
  schema::apply_defaults(defaulted);
  Decision decision;
  decision.patch = Json::diff(request.object, defaulted);
  return decision;
}

Json cause_of(const schema::FieldError& error) {
  return {{"reason", schema::reason(error.type)},
          {"message", schema::message(error)},
          {"field", error.field}};
}

// `[a, b]`, or `a` alone, each text once: how Kubernetes joins errors.
std::string joined(const std::vector<schema::FieldError>& errors) {
  std::vector<std::string> texts;
  for (const auto& error : errors) {
    std::string text = schema::to_string(error);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
  return texts.size() == 1 ? list : "[" + list + "]";
}

// metav1.Status as the API server itself makes it for an invalid object. kubectl prints its causes.
Decision invalid(const std::string& name, const std::vector<schema::FieldError>& errors) {
  Decision decision =
      refuse(422, "Invalid",
             "PostgresCluster.db.example.com \"" + name + "\" is invalid: " + joined(errors));
  Json& details = decision.status["details"];
  details = {{"group", "db.example.com"}, {"kind", "PostgresCluster"}, {"name", name}};
  for (const auto& error : errors) details["causes"].push_back(cause_of(error));
  return decision;
}

schema::Verdict verdict_on(const Request& request) {
  Json object = request.object;
  schema::apply_defaults(object);
  if (request.operation == "CREATE") return schema::check(object);
  // Defaulted alike, so that a default of a newer release never looks like a change by a person.
  Json old = request.old_object;
  schema::apply_defaults(old);
  return schema::check(object, &old);
}

Decision validate(const Request& request, std::vector<std::string>& fields) {
  if (!concerns_us(request)) return {};
  schema::Verdict verdict = verdict_on(request);
  for (const auto& error : verdict.errors) fields.push_back(error.field);
  Decision decision = verdict.ok() ? Decision{} : invalid(request.name, verdict.errors);
  decision.warnings = std::move(verdict.warnings);
  return decision;
}

Decision decide(Hook hook, const Request& request, std::vector<std::string>& fields) {
  if (auto refusal = unanswerable(request)) return *refusal;
  if (hook == Hook::kValidate) return validate(request, fields);
  Decision decision = mutate(request);
  for (const Json& operation : decision.patch) fields.push_back(operation.at("path"));
  return decision;
}

// A defect of ours must not look like an unreachable webhook, nor let anything pass.
Decision decide_or_refuse(Hook hook, const Request& request, std::vector<std::string>& fields) {
  try {
    return decide(hook, request, fields);
  } catch (const std::exception& error) {
    return refuse(500, "InternalError", std::string("the webhook failed: ") + error.what());
  } catch (...) {
    return refuse(500, "InternalError", "the webhook failed");
  }
}

}  // namespace

std::expected<Answer, std::string> review(Hook hook, std::string_view body) {
  auto request = read_request(body);
  if (!request) return std::unexpected(request.error());
  Answer answer{.body = {},
                .allowed = false,
                .uid = request->uid,
                .operation = request->operation,
                .ns = request->ns,
                .name = request->name,
                .fields = {}};
  const Decision decision = decide_or_refuse(hook, *request, answer.fields);
  answer.allowed = decision.allowed;
  answer.body = write_answer(*request, decision);
  return answer;
}

}  // namespace pgc::webhook
