#include "shared/kube/http_client.h"
#include "shared/kube/watch_stream.h"

namespace pgc::kube {
namespace {

// A watch lives as long as the server lets it; what is silent for longer than this is dead.
constexpr std::chrono::seconds kLongest{290};
constexpr std::chrono::seconds kLongestSilence = kLongest + std::chrono::seconds(40);

}  // namespace

Result<void> HttpClient::watch(const ResourceType& type, const ListOptions& options,
                               const std::string& resource_version,
                               const std::function<void(const WatchEvent&)>& deliver,
                               std::stop_token stop) {
  if (stop.stop_requested()) return {};
  auto pooled =
      pool_.make_new({.until = deadline(), .stop = stop});  // of its own: it is busy for minutes
  if (!pooled) return std::unexpected(pooled.error());
  Connection& connection = *pooled->connection;
  const ApiRequest request = watch_request(type, options, resource_version, kLongest);
  const Deadline begun = std::chrono::steady_clock::now();
  WatchStream stream(type, options.keep, deliver);
  const std::stop_callback end_early(stop, [&connection] { connection.cut(); });
  const auto answer = connection.stream(
      wire_request(request, pooled->as), deadline(), kLongestSilence,
      [&](int code) { observe(request, code, begun); },
      [&](std::string_view bytes) { return stream.feed(bytes); });
  if (stop.stop_requested()) return {};
  if (!answer) {
    observe(request, 0, begun);
    return std::unexpected(answer.error());
  }
  pass_on_warnings(*answer);
  if (answer->code == 401) credentials_.refused(pooled->as);
  if (answer->code != 200) return std::unexpected(error_of(*answer));
  if (answer->whole) stream.finish();
  if (stream.error()) return std::unexpected(*stream.error());
  return {};
}

}  // namespace pgc::kube
