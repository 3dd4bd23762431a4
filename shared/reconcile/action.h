// What a plan wants done, as values: nothing here does anything.
//
// Each action can be printed (describe), compared and replayed. All of them are safe to repeat: an
// Apply states the whole intent, CreateOnce and Generate accept that the object is there already,
// Patch and Delete say in which state of the object they hold.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "shared/kube/object.h"

namespace pgc::reconcile {

// The resourceVersion that an apply says which may only create: the API server takes any of what is
// not there, and of what is there only its own. So if somebody was quicker it is a conflict, and
// nothing of theirs is touched.
inline constexpr const char* kOfNothing = "1";

// Server-side apply of one of our own objects with one field manager.
struct Apply {
  kube::ObjectRef ref;
  kube::Object object;  // says its UID where one was observed
  // UID of the object as observed. Empty: it was not there; then it may be created, but an object
  // of that name that belongs to somebody else must be left alone.
  std::string uid;
  std::string why = {};
};

// A Secret with a user name and a password that the executor makes up. One that is there stays.
struct GeneratePassword {
  kube::ObjectRef secret;
  kube::Object skeleton;  // metadata and the fields that are no secret
};

// A Secret with a certificate authority (tls.crt, tls.key, ca.crt). One that is there stays.
struct GenerateAuthority {
  kube::ObjectRef secret;
  kube::Object skeleton;
  std::string common_name;
  std::chrono::hours validity;
};

// A Secret with a server certificate signed by an authority. One that is there stays.
struct GenerateServerCertificate {
  kube::ObjectRef secret;
  kube::Object skeleton;
  std::string authority;  // name of its Secret in the same namespace
  std::string common_name;
  std::vector<std::string> dns_names;
  std::chrono::hours validity;
};

// A JSON patch (RFC 6902) of an object that others own too. Its first operation sets the
// resourceVersion to the one observed, so that the API server answers a lost race with Conflict; a
// failed `test` operation would be Invalid, as a bad patch is.
struct Patch {
  kube::ObjectRef ref;
  kube::Object operations;  // {"patch": [...]}: Object holds no arrays
  std::string why;
};

// Goes through only while the object still is the one observed.
struct Delete {
  kube::ObjectRef ref;
  std::string uid;
  std::string resource_version;  // empty: the UID alone decides
  std::string why;
};

using Action = std::variant<Apply, GeneratePassword, GenerateAuthority, GenerateServerCertificate,
                            Patch, Delete>;

// One line for people and logs: "apply statefulsets.apps default/my-db-1".
std::string describe(const Action& action);

// A happening that users should see by `kubectl describe` and `kubectl get events`.
struct Event {
  bool warning = false;
  std::string reason;  // CamelCase
  std::string action;  // what was being done, CamelCase
  std::string note;

  bool operator==(const Event&) const = default;
};

}  // namespace pgc::reconcile
