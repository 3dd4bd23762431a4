// The envelope of a review: what is asked, and how a decision is written down. Knows the wire
// format of admission.k8s.io and no rule.
#pragma once

#include <expected>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::webhook {

using Json = nlohmann::json;

struct Request {
  std::string api_version;  // of the review; the answer repeats it
  std::string uid;
  std::string operation;  // CREATE, UPDATE, DELETE, CONNECT
  std::string kind;       // "db.example.com/v1 PostgresCluster"
  std::string ns;
  std::string name;  // may be empty where the server makes it up
  Json object;       // null on DELETE; without metadata.managedFields
  Json old_object;   // null on CREATE; as object
};

struct Decision {
  bool allowed = true;
  Json patch = Json::array();         // RFC 6902; empty: nothing to change
  Json status;                        // a metav1.Status; only for refusals
  std::vector<std::string> warnings;  // shown to the person who writes the object
};

// Why a body is no request. Where its uid could be read all the same, the answer can repeat it.
struct Unreadable {
  std::string reason;
  std::string api_version;
  std::string uid;
};

std::expected<Request, Unreadable> read_request(std::string_view body);
std::string write_answer(const Request& request, const Decision& decision);

// A refusal without field errors.
Decision refuse(int code, std::string_view reason, std::string message);

}  // namespace pgc::webhook
