#include "plugin/verbs/scale.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "plugin/verbs/wait.h"

namespace pgc::plugin {
namespace {

// Why not the /scale subresource, as `kubectl scale` does: through the main resource the webhook is
// shown the whole cluster and its answer names the field that is wrong in it; through /scale it
// would see a Scale, which has nothing but a number.
kube::Result<kube::Object> write_replicas(const kube::ObjectRef& ref, std::int64_t replicas,
                                          kube::Client& client) {
  const kube::Json body{{"spec", {{"replicas", replicas}}}};
  return client.patch(ref, kube::PatchType::kMerge, body, {.field_manager = "kubectl-pgc"});
}

std::string difference(const kube::Object& before, std::int64_t replicas) {
  const std::int64_t from = kube::int_at(before.json(), {"spec", "replicas"}, 1);
  if (from == replicas) return "(no change)";
  return "from " + std::to_string(from) + " to " + std::to_string(replicas);
}

}  // namespace

kube::Result<void> scale(const ScaleOptions& options, kube::Client& client, const Streams& streams,
                         const Clock& clock) {
  const kube::ObjectRef ref{kube::kPostgresClusters, options.ns, options.name};
  const auto before = client.get(ref);
  if (!before) return std::unexpected(before.error());
  const auto written = write_replicas(ref, options.replicas, client);
  if (!written) return std::unexpected(written.error());
  streams.out << "postgrescluster.db.example.com/" << options.name << " scaled "
              << difference(*before, options.replicas) << std::endl;
  if (options.wait == Wait::kNo) return {};
  return wait_until_scaled({ref, options.replicas, options.timeout}, client, streams, clock);
}

}  // namespace pgc::plugin
