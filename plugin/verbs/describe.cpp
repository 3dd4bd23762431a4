#include "plugin/verbs/describe.h"

#include "plugin/printers/cluster.h"

namespace pgc::plugin {
namespace {

kube::Result<kube::ObjectList> events_of(const kube::Object& cluster, kube::Reader& reader) {
  const std::string selector = "regarding.kind=" + std::string(kube::kPostgresClusters.kind) +
                               ",regarding.name=" + std::string(cluster.name()) +
                               ",regarding.uid=" + std::string(cluster.uid());
  return reader.list(
      kube::kEvents,
      {.ns = std::string(cluster.ns()), .label_selector = {}, .field_selector = selector});
}

}  // namespace

kube::Result<void> describe(const DescribeOptions& options, kube::Reader& reader,
                            const Streams& streams, const Clock& clock) {
  const auto cluster = reader.get({kube::kPostgresClusters, options.ns, options.name});
  if (!cluster) return std::unexpected(cluster.error());
  const ClusterPrinter printer(streams.out, Palette(options.colour), clock.now());
  printer.print(*cluster);
  const auto events = events_of(*cluster, reader);
  if (events) {
    printer.print_events(events->items);
  } else {
    printer.print_no_events(events.error().message);
  }
  return {};
}

}  // namespace pgc::plugin
