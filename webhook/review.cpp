#include "webhook/review.h"

#include <algorithm>
#include <exception>

#include "webhook/envelope.h"

namespace pgc::webhook {

namespace {

// The members of an object that a judge has a say in.
bool is_judged(const std::string& member, const Judge& judge) {
  return member != "metadata" && !(member == "status" && judge.has_status);
}

bool holds_judged_of(const Json& a, const Json& b, const Judge& judge) {
  for (const auto& [member, value] : a.items()) {
    if (!is_judged(member, judge)) continue;
    const auto other = b.find(member);
    if (other == b.end() || *other != value) return false;
  }
  return true;
}

// An update of metadata alone is never in question: finalizers must be able to go and labels to
// come on an object that a newer rule would refuse. The manifests' matchConditions say the same, so
// that such an update does not even need us; this is for configurations without them.
bool leaves_alone_what_is_judged(const Request& request, const Judge& judge) {
  return request.operation == "UPDATE" &&
         holds_judged_of(request.object, request.old_object, judge) &&
         holds_judged_of(request.old_object, request.object, judge);
}

bool concerns_us(const Request& request, const Judge& judge) {
  return (request.operation == "CREATE" || request.operation == "UPDATE") &&
         !leaves_alone_what_is_judged(request, judge);
}

// Nothing where the request can be judged.
std::optional<Decision> unanswerable(const Request& request, const Judge& judge) {
  const auto bad = [](std::string message) {
    return refuse(400, "BadRequest", std::move(message));
  };
  const std::string judged = judge.api_version() + " " + judge.kind;
  if (request.kind != judged) {
    return bad("this webhook judges " + judged + ", not " + request.kind +
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

// The patch is made from the raw document, so it cannot lose what this program does not know.
Decision mutate(Request& request, const Judge& judge) {
  if (!concerns_us(request, judge)) return {};
  Json defaulted = request.object;
  judge.apply_defaults(defaulted);
  Decision decision;
  if (defaulted != request.object) decision.patch = Json::diff(request.object, defaulted);
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
Decision invalid(const Judge& judge, const std::string& name,
                 const std::vector<schema::FieldError>& errors) {
  Decision decision =
      refuse(422, "Invalid",
             judge.kind + "." + judge.group + " \"" + name + "\" is invalid: " + joined(errors));
  Json& details = decision.status["details"];
  details = {{"group", judge.group}, {"kind", judge.kind}, {"name", name}};
  for (const auto& error : errors) details["causes"].push_back(cause_of(error));
  return decision;
}

// Both are defaulted alike, so that a default of a newer release never looks like a change by a
// person.
Decision validate(Request& request, const Judge& judge, std::vector<std::string>& fields) {
  if (!concerns_us(request, judge)) return {};
  const bool update = request.operation == "UPDATE";
  judge.apply_defaults(request.object);
  if (update) judge.apply_defaults(request.old_object);
  schema::Verdict verdict = judge.check(request.object, update ? &request.old_object : nullptr);
  for (const auto& error : verdict.errors) fields.push_back(error.field);
  Decision decision = verdict.ok() ? Decision{} : invalid(judge, request.name, verdict.errors);
  decision.warnings = std::move(verdict.warnings);
  if (decision.allowed && update && judge.cost_of) {
    std::ranges::move(judge.cost_of(request.old_object, request.object),
                      std::back_inserter(decision.warnings));
  }
  return decision;
}

Decision decide(Hook hook, const Judge& judge, Request& request, std::vector<std::string>& fields) {
  if (auto refusal = unanswerable(request, judge)) return *refusal;
  if (hook == Hook::kValidate) return validate(request, judge, fields);
  Decision decision = mutate(request, judge);
  for (const Json& operation : decision.patch) fields.push_back(operation.at("path"));
  return decision;
}

// A defect of ours must not look like an unreachable webhook, nor let anything pass.
Decision decide_or_refuse(Hook hook, const Judge& judge, Request& request, Answer& answer) {
  try {
    return decide(hook, judge, request, answer.fields);
  } catch (const std::exception& error) {
    answer.failed = true;
    return refuse(500, "InternalError", std::string("the webhook failed: ") + error.what());
  } catch (...) {
    answer.failed = true;
    return refuse(500, "InternalError", "the webhook failed");
  }
}

// Of something that is no review but says who asked.
Answer answer_to_unreadable(const Unreadable& unreadable) {
  Request request;
  request.uid = unreadable.uid;
  request.api_version =
      unreadable.api_version.empty() ? "admission.k8s.io/v1" : unreadable.api_version;
  Answer answer;
  answer.uid = unreadable.uid;
  answer.body = write_answer(request, refuse(400, "BadRequest", unreadable.reason));
  return answer;
}

}  // namespace

std::expected<Answer, std::string> review(Hook hook, const Judge& judge, std::string_view body) {
  auto request = read_request(body);
  if (!request && request.error().uid.empty()) return std::unexpected(request.error().reason);
  if (!request) return answer_to_unreadable(request.error());
  Answer answer;
  answer.uid = request->uid;
  answer.operation = request->operation;
  answer.ns = request->ns;
  answer.name = request->name;
  const Decision decision = decide_or_refuse(hook, judge, *request, answer);
  answer.allowed = decision.allowed;
  answer.body = write_answer(*request, decision);
  return answer;
}

std::expected<Answer, std::string> review(Hook hook, std::string_view body) {
  return review(hook, judge_of_postgres_clusters(), body);
}

}  // namespace pgc::webhook
