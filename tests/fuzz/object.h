// Objects made of a fuzzer's bytes, along our own CRD: mostly right, so that they get far, with
// anything else here and there. What is alike in the bytes is alike in the object, so that the
// fuzzer can learn.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <nlohmann/json.hpp>

namespace pgc::fuzz {

using Json = nlohmann::json;

// A PostgresCluster with a name and a namespace.
Json cluster_from(FuzzedDataProvider& bytes);
// `base` with some fields drawn again.
Json changed(const Json& base, FuzzedDataProvider& bytes);
// The object as a reader of JSON has it: no bytes that are not UTF-8, no number that JSON lacks.
Json as_it_arrives(const Json& object);

}  // namespace pgc::fuzz
