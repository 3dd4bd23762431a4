// A hash of a document, for annotations: "this is what was meant, whatever others have added
// since".
#pragma once

#include <string>

#include "shared/kube/object.h"

namespace pgc::reconcile {

// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), over the compact text with the
// members of objects sorted by name, as 16 hex digits: the same on every machine and in every
// version. It guards against forgetting, not against an adversary.
std::string fingerprint(const kube::Json& document);

}  // namespace pgc::reconcile
