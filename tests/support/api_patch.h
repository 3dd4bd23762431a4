// JSON patch and merge patch as the API server applies them, and the scale of an object. Pure.
#pragma once

#include "shared/kube/client.h"

namespace pgc::test {

// What the patch makes of the document. Not for PatchType::kApply.
kube::Result<kube::Json> patched(kube::Json document, kube::PatchType type, const kube::Json& body);

// autoscaling/v1 Scale
kube::Json scale_of(const kube::Object& object);

}  // namespace pgc::test
