// Refusals of the in-memory API server, in the words of the real one.
#pragma once

#include <string>

#include "shared/kube/client.h"

namespace pgc::test {

std::unexpected<kube::Error> answer(int code, const std::string& reason,
                                    const std::string& message);

std::unexpected<kube::Error> not_found(const kube::ObjectRef& ref);
std::unexpected<kube::Error> already_exists(const kube::ObjectRef& ref, bool being_deleted);
std::unexpected<kube::Error> conflict(const kube::ObjectRef& ref, const std::string& why);
// `causes` is not empty.
std::unexpected<kube::Error> invalid(const kube::ObjectRef& ref, std::vector<kube::Cause> causes);
// What the real one can do and this one can't.
std::unexpected<kube::Error> not_implemented(const std::string& what);

inline constexpr const char* kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

}  // namespace pgc::test
