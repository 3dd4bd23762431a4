// Why the API server could not call a webhook, read from what it says of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pgc::plugin {

struct FailedCall {
  std::string webhook;  // "vpostgrescluster.db.example.com"
  std::string why;      // the API server's words, from the hop on that broke
  std::string remedy;   // what to do; what to look at where the words are not known
};

// Nothing where the message tells of no failed call.
std::optional<FailedCall> failed_call(std::string_view message);

}  // namespace pgc::plugin
