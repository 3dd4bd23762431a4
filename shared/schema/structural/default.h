// The defaults of a schema, written into an object as the API server does at admission.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "shared/schema/structural/crd.h"

namespace pgc::schema {

// Removes nulls of fields that allow none and have no default.
void drop_nulls(const Schema& schema, Json& object);

// Removes nulls that the schema does not allow, then sets what is absent and has a default, parents
// first. Values that are present, even empty ones, stay. Nothing changes when it is called again.
void apply_defaults(const Schema& schema, Json& object);

}  // namespace pgc::schema
