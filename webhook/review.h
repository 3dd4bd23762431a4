// What the webhook answers, as a function of what it is asked: AdmissionReview text in,
// AdmissionReview text out
// (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/).
//
// Pure: no I/O, no clock, nothing kept between calls, safe from several threads. What is right is a
// Judge's to say; here is only the way from a review to one and back. Nothing thrown leaves this
// file, so that every request whose uid could be read gets an answer with that uid.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "webhook/judge.h"

namespace pgc::webhook {

enum class Hook {
  kMutate,    // writes defaults
  kValidate,  // allows or refuses
};

// A review nested deeper than this is refused. Libraries that walk a document by recursion must not
// meet one that exhausts the stack; no object may be deeper than schema::kMaxDepth, and it stands
// two levels deep in the review.
inline constexpr int kMaxReviewDepth = 64 + 2;

struct Answer {
  std::string body;  // an AdmissionReview
  bool allowed = false;
  bool failed = false;  // by a defect of ours

  // For the log. No value of the object is among them, because values may be secret.
  std::string uid;
  std::string operation;
  std::string ns;
  std::string name;
  std::vector<std::string> fields;  // paths of what was refused, or of what a patch changes
};

// The error says why `body` is no review that could be answered at all; HTTP 400 is then the reply.
std::expected<Answer, std::string> review(Hook hook, const Judge& judge, std::string_view body);
// The same for PostgresClusters.
std::expected<Answer, std::string> review(Hook hook, std::string_view body);

}  // namespace pgc::webhook
