// What the in-memory API server checks and sets whenever an object is written, beside defaults.
#pragma once

#include <optional>

#include "shared/kube/client.h"
#include "tests/support/api_types.h"

namespace pgc::test {

// Brings a new object's metadata into order.
void prepare_new(const ApiType& type, const kube::ObjectRef& ref, const std::string& now,
                 kube::Json& document);

// Gives `document`, which is to take the place of `live`, what a writer cannot change: identity,
// deletion, and whatever its subresource does not reach.
void keep_what_is_not_written(const ApiType& type, const kube::Json& live,
                              const std::string& subresource, kube::Json& document);

// Counts the generation up where the document says something new.
void count_generation(const ApiType& type, const kube::Json& live, kube::Json& document);

// Why `document` must not take the place of `live`.
std::optional<kube::Error> refusal_of_change(const kube::ObjectRef& ref, const kube::Json& live,
                                             const kube::Json& document);

bool being_deleted(const kube::Json& document);
bool has_finalizers(const kube::Json& document);

}  // namespace pgc::test
