// Things that nobody should send to a webhook, each made from its number alone.
#pragma once

#include <string>

namespace pgc::webhook::testing {

// A body that is no AdmissionReview that could be allowed: cut, spoilt, too deep, of wrong types…
std::string malformed_body(int number);

struct Abuse {
  std::string name;
  std::string bytes;
  bool before_tls = false;    // sent instead of a handshake
  bool then_garbage = false;  // bytes that are no TLS follow
  bool half_close = false;    // and nothing more comes
  // There is nobody to answer, or too little was said: the end of the connection will do.
  bool may_be_closed = false;
};

Abuse abuse_of_http(int number);

}  // namespace pgc::webhook::testing
