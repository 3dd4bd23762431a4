// What the API server answers, read into objects. Pure.
//
// An answer that is not what was asked for is kMalformed, never an empty list or an empty object:
// what could not be read must not be taken for what is not there.
#pragma once

#include <string>
#include <string_view>

#include "shared/json/reader.h"
#include "shared/json/shape.h"
#include "shared/kube/client.h"

namespace pgc::kube {

// The shape to read objects by: `keep`, or where that is null all but metadata.managedFields, which
// are half of an object and which nobody here reads.
const json::Shape& object_shape(const json::Shape* keep);

// A reader for everything that the API sends. The definition of a resource is its deepest object.
json::Reader answer_reader();

struct ListPage {
  ObjectList list;
  std::string next;  // what to ask on with; empty: that was all
};

Result<ListPage> read_list(json::Reader& reader, std::string_view text, const ResourceType& type,
                           const json::Shape* keep);

// `request` is for the message: "GET /api/v1/…". `keep` as for lists; the kind must be in it.
Result<Object> read_object(json::Reader& reader, std::string_view text, std::string_view request,
                           const json::Shape* keep = nullptr);

// Objects inside of lists come without their type, and a `keep` may pass over it.
void add_type(Json& document, const ResourceType& type);

}  // namespace pgc::kube
