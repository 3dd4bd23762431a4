// `kubectl pgc list [NAME]`: what `kubectl get pgc` shows, in the columns of the API server.
#pragma once

#include <string>

#include "plugin/process.h"
#include "shared/kube/client.h"

namespace pgc::plugin {

enum class ListFormat { kTable, kWide, kJson, kYaml, kName };

struct ListOptions {
  std::string ns;    // empty: all namespaces
  std::string name;  // empty: all clusters
  std::string label_selector;
  ListFormat format = ListFormat::kTable;
};

// That there is nothing to show is told on standard error, as kubectl does it, and is no error.
kube::Result<void> list(const ListOptions& options, kube::Reader& reader, kube::TableReader& tables,
                        const Streams& streams);

}  // namespace pgc::plugin
