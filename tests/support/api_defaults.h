// What the API server adds to the objects that we write, and how it rewrites them: enough of it to
// see whether a controller takes it for drift.
#pragma once

#include "shared/kube/object.h"

namespace pgc::test {

void set_api_defaults(const kube::ResourceType& type, kube::Json& document);

}  // namespace pgc::test
