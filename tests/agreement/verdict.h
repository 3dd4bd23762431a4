// One request, judged by both sides.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/agreement/resource.h"
#include "tests/agreement/server.h"

namespace pgc::agreement {

enum class Operation { kCreate, kReplace, kMergePatch };
enum class Strictness { kStrict, kWarn, kIgnore };

struct Request {
  Operation operation = Operation::kCreate;
  Strictness strictness = Strictness::kStrict;
  std::string text;           // the JSON that is sent: an object, or a patch
  const Json* old = nullptr;  // the stored object of a change
};

// What a side says.
struct Verdict {
  enum class Kind { kAccepted, kUnreadable, kStrict, kInvalid, kOther };
  Kind kind = Kind::kOther;
  std::set<std::string> texts;  // errors, or warnings of an object that is accepted
  Json object;                  // accepted: as stored, without what the server alone knows
  bool rules_skipped = false;   // CEL was not looked at
};

std::string to_string(Verdict::Kind kind);
std::string to_string(Operation operation);
std::string to_string(Strictness strictness);

Verdict ask_server(Server& server, const Resource& resource, const Request& request);
Verdict ask_engine(const Resource& resource, const Request& request);

// Empty: they agree. Else what differs, in a few lines.
std::string difference(const Verdict& server, const Verdict& engine);

}  // namespace pgc::agreement
