#include "tests/agreement/verdict.h"

#include <algorithm>

#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/admission.h"
#include "shared/schema/structural/json_text.h"
#include "shared/schema/structural/validate.h"
#include "tests/agreement/twins.h"

namespace pgc::agreement {
namespace {

using Kind = Verdict::Kind;
using schema::FieldError;
using schema::FieldErrorType;

constexpr std::string_view kSkipped = "some validation rules were not checked";
constexpr std::string_view kStrictError = "strict decoding error: ";

std::string query(Strictness strictness) {
  return "?dryRun=All&fieldManager=agreement&fieldValidation=" + to_string(strictness);
}

Answer send(Server& server, const Resource& resource, const Request& request) {
  if (request.operation == Operation::kCreate) {
    return server.post(resource.path() + query(request.strictness), request.text);
  }
  const std::string name = request.old->at("metadata").at("name");
  const std::string path = resource.path() + "/" + name + query(request.strictness);
  return request.operation == Operation::kReplace ? server.put(path, request.text)
                                                  : server.merge(path, request.text);
}

// What the server alone knows, or makes up.
Json comparable(Json object) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end()) return object;
  for (const char* key :
       {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "namespace",
        "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    metadata->erase(key);
  }
  if (metadata->contains("generateName")) metadata->erase("name");
  return object;
}

// `strict decoding error: unknown field "a", unknown field "b"`
std::set<std::string> strict_texts(const std::string& message) {
  std::string_view rest = message;
  rest.remove_prefix(message.find(kStrictError) + kStrictError.size());
  std::set<std::string> texts;
  while (!rest.empty()) {
    const std::size_t next =
        std::min(rest.find(", unknown field \""), rest.find(", duplicate field \""));
    texts.emplace(rest.substr(0, next));
    rest.remove_prefix(next == std::string_view::npos ? rest.size() : next + 2);
  }
  return texts;
}

void read_causes(const Resource& resource, const Json& status, Verdict& verdict) {
  const Json none = Json::array();
  const Json details = status.value("details", Json::object());
  for (const Json& cause : details.value("causes", none)) {
    const std::string message = cause.value("message", "");
    if (message.find(kSkipped) != std::string::npos) {
      verdict.rules_skipped = true;
    } else {
      const std::string field = cause.value("field", "");
      const auto words = resource.is_ours ? cel_words(resource, field, message) : std::nullopt;
      verdict.texts.insert(words.value_or(field + ": " + message));
    }
  }
}

bool skips_rules(const std::vector<FieldError>& errors) {
  return std::any_of(errors.begin(), errors.end(), [](const FieldError& error) {
    return error.type == FieldErrorType::kNotSupported || error.type == FieldErrorType::kRequired ||
           error.type == FieldErrorType::kTooLong || error.type == FieldErrorType::kTooMany ||
           error.type == FieldErrorType::kTypeInvalid;
  });
}

// Warnings are HTTP headers, so those with control characters are not sent.
std::set<std::string> sendable(std::set<std::string> warnings) {
  std::erase_if(warnings, [](const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  });
  return warnings;
}

Verdict unreadable(const std::string& why) {
  return {.kind = Kind::kUnreadable, .texts = {why}, .object = {}, .rules_skipped = false};
}

// The server's library for patches drops nulls of objects inside lists as well, beyond RFC 7396.
void drop_nulls(Json& value, bool in_list) {
  if (value.is_object() && in_list) {
    for (auto field = value.begin(); field != value.end();) {
      field = field->is_null() ? value.erase(field) : std::next(field);
    }
  }
  if (!value.is_structured()) return;
  for (Json& child : value) drop_nulls(child, in_list || value.is_array());
}

// The object that a request wants stored; for a patch, that which comes of it.
Json wanted(const Request& request, const schema::JsonDocument& sent) {
  if (request.operation != Operation::kMergePatch) return sent.value;
  Json object = *request.old;
  Json patch = sent.value;
  drop_nulls(patch, false);
  object.merge_patch(patch);
  return object;
}

}  // namespace

std::string to_string(Verdict::Kind kind) {
  switch (kind) {
    case Kind::kAccepted:
      return "accepted";
    case Kind::kUnreadable:
      return "unreadable";
    case Kind::kStrict:
      return "refused when strict";
    case Kind::kInvalid:
      return "invalid";
    case Kind::kOther:
      break;
  }
  return "other";
}

std::string to_string(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "create";
    case Operation::kReplace:
      return "replace";
    case Operation::kMergePatch:
      break;
  }
  return "merge patch";
}

std::string to_string(Strictness strictness) {
  switch (strictness) {
    case Strictness::kStrict:
      return "Strict";
    case Strictness::kWarn:
      return "Warn";
    case Strictness::kIgnore:
      break;
  }
  return "Ignore";
}

Verdict ask_server(Server& server, const Resource& resource, const Request& request) {
  const Answer answer = send(server, resource, request);
  Verdict verdict;
  const Json body = Json::parse(answer.body, nullptr, false);
  if (answer.ok()) {
    verdict.kind = Kind::kAccepted;
    verdict.object = comparable(body);
    for (const std::string& text : answer.warnings) {
      const bool of_decoding =
          text.starts_with("unknown field") || text.starts_with("duplicate field");
      if (of_decoding) verdict.texts.insert(text);
    }
    return verdict;
  }
  const std::string message = body.is_object() ? body.value("message", "") : answer.body;
  if (message.find(kStrictError) != std::string::npos) {
    verdict.kind = Kind::kStrict;
    verdict.texts = strict_texts(message);
  } else if (answer.code == 422) {
    verdict.kind = Kind::kInvalid;
    read_causes(resource, body, verdict);
    // What comes of a patch and cannot be read.
    const std::string& first = verdict.texts.empty() ? message : *verdict.texts.begin();
    if (first.starts_with("patch: ")) verdict.kind = Kind::kUnreadable;
  } else if (answer.code == 400) {
    verdict.kind = Kind::kUnreadable;
    verdict.texts = {message};
  } else {
    verdict.texts = {std::to_string(answer.code) + " " + message};
  }
  return verdict;
}

Verdict ask_engine(const Resource& resource, const Request& request) {
  const auto sent = schema::parse_json(request.text, schema::kMaxDepth);
  if (!sent) return unreadable(sent.error());
  schema::Admitted admitted =
      schema::admit(resource.crd, resource.served(), wanted(request, *sent), request.old);
  if (admitted.unreadable) return unreadable(*admitted.unreadable);
  Verdict verdict;
  std::set<std::string> strict(sent->duplicates.begin(), sent->duplicates.end());
  strict.insert(admitted.strict.begin(), admitted.strict.end());
  if (request.strictness == Strictness::kStrict && !strict.empty()) {
    verdict.kind = Kind::kStrict;
    verdict.texts = std::move(strict);
    return verdict;
  }
  for (const FieldError& error : admitted.errors) verdict.texts.insert(schema::to_string(error));
  verdict.rules_skipped = resource.is_ours && skips_rules(admitted.errors);
  if (resource.is_ours && !verdict.rules_skipped) {
    verdict.texts.merge(twin_errors(resource, admitted.object, request.old));
  }
  verdict.kind = verdict.texts.empty() ? Kind::kAccepted : Kind::kInvalid;
  if (verdict.kind == Kind::kInvalid) return verdict;
  verdict.object = comparable(std::move(admitted.object));
  if (request.strictness == Strictness::kWarn) verdict.texts = sendable(strict);
  return verdict;
}

namespace {

std::string listed(const char* title, const std::set<std::string>& texts,
                   const std::set<std::string>& others) {
  std::string result;
  for (const std::string& text : texts) {
    if (!others.contains(text)) result += std::string("    ") + title + " only: " + text + "\n";
  }
  return result;
}

// Both could not read it; the server says more about how it came to that.
bool same_reading(const Verdict& server, const Verdict& engine) {
  return server.texts.begin()->find(*engine.texts.begin()) != std::string::npos;
}

}  // namespace

std::string difference(const Verdict& server, const Verdict& engine) {
  if (server.kind != engine.kind) {
    return "    verdict: server " + to_string(server.kind) + ", engine " + to_string(engine.kind) +
           "\n" + listed("server", server.texts, {}) + listed("engine", engine.texts, {});
  }
  if (server.kind == Kind::kUnreadable && same_reading(server, engine)) return {};
  std::string result =
      listed("server", server.texts, engine.texts) + listed("engine", engine.texts, server.texts);
  if (server.rules_skipped != engine.rules_skipped) result += "    rules skipped by one side\n";
  if (server.kind == Kind::kAccepted && server.object != engine.object) {
    result += "    object, from the server's to the engine's: " +
              Json::diff(server.object, engine.object).dump() + "\n";
  }
  return result;
}

}  // namespace pgc::agreement
