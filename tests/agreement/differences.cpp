#include "tests/agreement/differences.h"

#include "shared/schema/rules/rules.h"

namespace pgc::agreement {
namespace {

using Kind = Verdict::Kind;

bool too_deep(const Resource&, const Request&, const Verdict&, const Verdict& engine) {
  return engine.kind == Kind::kUnreadable &&
         engine.texts.begin()->find("nested deeper than") != std::string::npos;
}

// The server adds why and where Go's parser of times gave up.
bool bad_time(const Resource&, const Request&, const Verdict& server, const Verdict& engine) {
  return server.kind == Kind::kUnreadable && engine.kind == Kind::kUnreadable &&
         server.texts.begin()->find("parsing time ") != std::string::npos &&
         engine.texts.begin()->find("parsing time ") != std::string::npos;
}

// Go walks maps in random order and stops at the first.
bool other_reason(const Resource&, const Request&, const Verdict& server, const Verdict& engine) {
  const auto is_type = [](const Verdict& verdict) {
    const std::string& text = *verdict.texts.begin();
    return text.find("must be a string") != std::string::npos ||
           text.find("cannot unmarshal") != std::string::npos;
  };
  return server.kind == Kind::kUnreadable && engine.kind == Kind::kUnreadable && is_type(server) &&
         is_type(engine);
}

// Both agree once the name that the server made is left out.
bool generated_name(const Resource&, const Request& request, const Verdict& server,
                    const Verdict& engine) {
  const Json object = Json::parse(request.text, nullptr, false);
  const Json metadata = object.is_object() ? object.value("metadata", Json()) : Json();
  if (!metadata.is_object() || !metadata.contains("generateName")) return false;
  Verdict rest = server;
  std::erase_if(rest.texts,
                [](const std::string& text) { return text.starts_with("metadata.name: "); });
  return rest.texts.empty() ? engine.kind == Kind::kAccepted : difference(rest, engine).empty();
}

// A stored object of ours that is refused by its schema or by our rules.
bool wrong_before(const Resource& resource, const Request& request, const Verdict&,
                  const Verdict&) {
  if (!resource.is_ours || request.old == nullptr) return false;
  return !schema::check(*request.old).ok();
}

}  // namespace

const std::vector<KnownDifference>& known_differences() {
  static const std::vector<KnownDifference> kList = {
      {"deeper than 64 levels",
       "The engine refuses such objects unread, so that none can exhaust the stack; the API server "
       "goes to 10,000.",
       too_deep},
      {"the words about a time that is none",
       "metadata.creationTimestamp: yesterday is refused by both; the API server's text ends in "
       "what Go's parser stumbled over.",
       bad_time},
      {"which of several reasons why it cannot be read",
       "The API server names one wrong type in the head of an embedded resource, at random; the "
       "engine the first.",
       other_reason},
      {"a generated name",
       "The API server makes a name of metadata.generateName before it looks at it, and quotes it "
       "in its errors; the engine makes none.",
       generated_name},
      {"CEL on a stored object that is wrong",
       "CEL tolerates a wrong value for as long as it is not touched, while our rules judge a spec "
       "that changes whole; and where a stored version is no number, CEL's int() fails whatever is "
       "changed. No such object can be made through the API server.",
       wrong_before}};
  return kList;
}

}  // namespace pgc::agreement
