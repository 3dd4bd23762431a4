#include "tests/agreement/differences.h"

namespace pgc::agreement {
namespace {

using Kind = Verdict::Kind;

bool too_deep(const Request&, const Verdict&, const Verdict& engine) {
  return engine.kind == Kind::kUnreadable &&
         engine.texts.begin()->find("nested deeper than") != std::string::npos;
}

// The server adds why and where Go's parser of times gave up.
bool bad_time(const Request&, const Verdict& server, const Verdict& engine) {
  return server.kind == Kind::kUnreadable && engine.kind == Kind::kUnreadable &&
         server.texts.begin()->find("parsing time ") != std::string::npos &&
         engine.texts.begin()->find("parsing time ") != std::string::npos;
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
       bad_time}};
  return kList;
}

}  // namespace pgc::agreement
