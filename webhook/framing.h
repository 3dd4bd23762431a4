// What the head of a request alone shows to be wrong, so that its body is not read.
//
// The API server sends one Content-Length, one plain JSON body, and none of HTTP's other means. How
// those are understood is where HTTP libraries have had most of their holes, so here they are not
// understood at all. Pure. For server.cpp: it includes httplib.
#pragma once

#include <httplib.h>

#include <optional>
#include <string>

namespace pgc::webhook {

struct HttpRefusal {
  int status;
  std::string reason;
};

std::optional<HttpRefusal> refused_by_its_head(const httplib::Request& request, bool path_is_known);

}  // namespace pgc::webhook
