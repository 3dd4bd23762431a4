#include "operator/execute.h"

#include <nlohmann/json.hpp>

#include "operator/password.h"
#include "shared/reconcile/names.h"
#include "shared/x509/base64.h"
#include "shared/x509/x509.h"

namespace pgc {
namespace {

using kube::ErrorKind;
using kube::Json;
using kube::Result;
using std::chrono::sys_seconds;

// A clock that is a little behind ours must accept the certificate, too.
constexpr std::chrono::minutes kBackdated{5};

kube::Error failed(const kube::ObjectRef& ref, std::string message) {
  return {.kind = ErrorKind::kOther, .message = ref.to_string() + ": " + std::move(message)};
}

kube::Error name_taken(const kube::ObjectRef& ref) {
  return {.kind = ErrorKind::kAlreadyExists,
          .message = ref.to_string() +
                     " exists and does not belong to this cluster; rename or remove it, or name "
                     "the cluster otherwise"};
}

// Its owner says so, whatever has become of its labels; without an owner its labels do.
bool belongs_to_us(const kube::Object& live, const kube::Object& wanted) {
  if (!live.controller_uid().empty()) return live.controller_uid() == wanted.controller_uid();
  return live.label(reconcile::kManagedByLabel) == reconcile::kManagedBy &&
         live.label(reconcile::kClusterLabel) == wanted.label(reconcile::kClusterLabel);
}

// A value of Secret.data, or "".
std::string decoded(const kube::Object& secret, std::string_view key) {
  return x509::from_base64(kube::string_at(secret.json(), {"data", key})).value_or("");
}

void put_pair(Json& secret, const x509::Pair& pair, const std::string& authority) {
  secret["type"] = "kubernetes.io/tls";
  secret["stringData"] = {
      {"tls.crt", pair.certificate}, {"tls.key", pair.key}, {"ca.crt", authority}};
}

x509::Validity validity(sys_seconds now, std::chrono::hours length) {
  return {.not_before = now - kBackdated, .not_after = now + length};
}

}  // namespace

Result<void> Executor::run(const std::vector<reconcile::Action>& actions, sys_seconds now,
                           const Done& done) {
  for (const reconcile::Action& action : actions) {
    const auto result = std::visit([&](const auto& a) { return perform(a, now); }, action);
    if (!result) {
      log_.warning("write failed",
                   {{"action", reconcile::describe(action)}, {"error", result.error().message}});
      return result;
    }
    const auto* apply = std::get_if<reconcile::Apply>(&action);
    log_.info("wrote", {{"action", reconcile::describe(action)},
                        {"why", apply == nullptr ? "" : apply->why}});
    if (done) done(action);
  }
  return {};
}

// What is known is mostly true: our own writes are in it. Where it is not, the API server is asked.
Result<void> Executor::write_status(const kube::Object& status) {
  auto written = write_status_of(known_, status);
  if (written || !written.error().is(ErrorKind::kConflict)) return written;
  return write_status_of(client_, status);
}

// Of an apply of the status the API server takes the status alone: a UID in it protects nothing, so
// it must be known who the cluster is, and its resourceVersion holds the write to that.
Result<void> Executor::write_status_of(kube::Reader& reader, const kube::Object& status) {
  const kube::ObjectRef ref{kube::kPostgresClusters, std::string(status.ns()),
                            std::string(status.name())};
  const auto live = reader.get(ref);
  if (!live && live.error().is(ErrorKind::kNotFound)) return {};
  if (!live) return std::unexpected(live.error());
  if (!status.uid().empty() && live->uid() != status.uid()) {
    return std::unexpected(kube::Error{.kind = ErrorKind::kConflict,
                                       .message = ref.to_string() + " is another one by now"});
  }
  Json body = status.json();
  body["metadata"]["resourceVersion"] = live->resource_version();
  auto written =
      client_.patch(ref, kube::PatchType::kApply, body,
                    {.field_manager = kStatusManager, .subresource = "status", .force = true});
  if (!written && !written.error().is(ErrorKind::kNotFound)) {
    return std::unexpected(written.error());
  }
  return {};
}

// An apply that says no UID would change whatever bears that name by the time it arrives. What the
// cache does not show is mostly not there; where it is, the cache is behind, or it is a stranger's.
Result<void> Executor::perform(const reconcile::Apply& action, sys_seconds) {
  if (!action.uid.empty()) return apply(action, action.object.json());
  auto created = create(action);
  if (created || !created.error().is(ErrorKind::kConflict)) return created;
  auto live = client_.get(action.ref);
  if (!live && live.error().is(ErrorKind::kNotFound)) return created;
  if (!live) return std::unexpected(live.error());
  if (!belongs_to_us(*live, action.object)) return std::unexpected(name_taken(action.ref));
  reconcile::Apply found = action;
  found.uid = live->uid();
  Json body = action.object.json();
  body["metadata"].erase("resourceVersion");
  body["metadata"]["uid"] = found.uid;
  return apply(found, body);
}

Result<void> Executor::create(const reconcile::Apply& action) {
  if (!action.object.resource_version().empty()) return apply(action, action.object.json());
  Json body = action.object.json();
  body["metadata"]["resourceVersion"] = reconcile::kOfNothing;
  return apply(action, body);
}

Result<void> Executor::apply(const reconcile::Apply& action, const Json& body) {
  auto applied = client_.patch(action.ref, kube::PatchType::kApply, body,
                               {.field_manager = kFieldManager, .force = true});
  if (!applied) return std::unexpected(lost_race(action, applied.error()));
  return {};
}

// The API server calls an apply with another object's UID Invalid, as if nothing could cure it.
kube::Error Executor::lost_race(const reconcile::Apply& action, kube::Error error) {
  if (action.uid.empty() || !error.is(ErrorKind::kInvalid)) return error;
  const auto live = client_.get(action.ref);
  if (live && live->uid() != action.uid) error.kind = ErrorKind::kConflict;
  return error;
}

Result<void> Executor::create_secret(const kube::ObjectRef& secret, Json document) {
  auto created = client_.create(kube::kSecrets, secret.ns, kube::Object(std::move(document)),
                                {.field_manager = kFieldManager});
  if (created || created.error().is(ErrorKind::kAlreadyExists)) return {};
  return std::unexpected(created.error());
}

Result<void> Executor::perform(const reconcile::GeneratePassword& action, sys_seconds) {
  Json document = action.skeleton.json();
  auto password = make_password();
  if (!password) return std::unexpected(failed(action.secret, password.error()));
  document["stringData"]["password"] = *password;
  return create_secret(action.secret, std::move(document));
}

Result<void> Executor::perform(const reconcile::GenerateAuthority& action, sys_seconds now) {
  const auto pair =
      x509::make_ca(action.common_name, validity(now, action.validity), x509::random_serial());
  if (!pair) return std::unexpected(failed(action.secret, pair.error()));
  Json document = action.skeleton.json();
  put_pair(document, *pair, pair->certificate);
  return create_secret(action.secret, std::move(document));
}

Result<void> Executor::perform(const reconcile::GenerateServerCertificate& action,
                               sys_seconds now) {
  const auto secret = client_.get({kube::kSecrets, action.secret.ns, action.authority});
  if (!secret) return std::unexpected(secret.error());
  const auto certificate = decoded(*secret, "tls.crt");
  const auto key = decoded(*secret, "tls.key");
  const x509::LeafRequest request{.common_name = action.common_name,
                                  .dns_names = action.dns_names,
                                  .ip_addresses = {},
                                  .validity = validity(now, action.validity),
                                  .usage = x509::Usage::kServerAndClient};
  const auto pair = x509::issue_leaf({certificate, key}, request, x509::random_serial());
  if (!pair) return std::unexpected(failed(action.secret, pair.error()));
  Json document = action.skeleton.json();
  put_pair(document, *pair, certificate);
  return create_secret(action.secret, std::move(document));
}

Result<void> Executor::perform(const reconcile::Patch& action, sys_seconds) {
  auto patched =
      client_.patch(action.ref, kube::PatchType::kJson, action.operations.json().at("patch"),
                    {.field_manager = kFieldManager});
  if (!patched) return std::unexpected(patched.error());
  return {};
}

Result<void> Executor::perform(const reconcile::Delete& action, sys_seconds) {
  auto removed =
      client_.remove(action.ref, {.uid = action.uid, .resource_version = action.resource_version});
  if (removed || removed.error().is(ErrorKind::kNotFound)) return {};
  return removed;
}

}  // namespace pgc
