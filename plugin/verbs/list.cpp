#include "plugin/verbs/list.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "plugin/printers/document.h"
#include "plugin/printers/server_table.h"
#include "plugin/printers/text.h"

namespace pgc::plugin {
namespace {

using kube::Json;
using kube::kPostgresClusters;
using kube::Object;

kube::ObjectRef ref_of(const ListOptions& options) {
  return {kPostgresClusters, options.ns, options.name};
}

kube::ListOptions selection(const ListOptions& options) {
  return {.ns = options.ns, .label_selector = options.label_selector, .field_selector = {}};
}

void say_that_there_is_nothing(const std::string& ns, std::ostream& err) {
  err << (ns.empty() ? "No resources found\n"
                     : "No resources found in " + printable(ns) + " namespace.\n");
}

kube::Result<void> show_table(const ListOptions& options, kube::TableReader& tables,
                              const Streams& streams) {
  const auto table = options.name.empty() ? tables.table(kPostgresClusters, selection(options))
                                          : tables.table(ref_of(options));
  if (!table) return std::unexpected(table.error());
  if (table->rows.empty()) {
    say_that_there_is_nothing(options.ns, streams.err);
  } else {
    print_server_table(
        *table,
        {.wide = options.format == ListFormat::kWide, .with_namespaces = options.ns.empty()},
        streams.out);
  }
  return {};
}

kube::Result<std::vector<Json>> read(const ListOptions& options, kube::Reader& reader) {
  std::vector<Json> documents;
  if (!options.name.empty()) {
    const auto object = reader.get(ref_of(options));
    if (!object) return std::unexpected(object.error());
    documents.push_back(object->json());
    return documents;
  }
  const auto found = reader.list(kPostgresClusters, selection(options));
  if (!found) return std::unexpected(found.error());
  for (const Object& object : found->items) documents.push_back(object.json());
  return documents;
}

// One that was named stands alone, others in a List.
Json document_of(const ListOptions& options, std::vector<Json> objects) {
  if (!options.name.empty()) return std::move(objects.at(0));
  return {{"apiVersion", "v1"},
          {"kind", "List"},
          {"metadata", {{"resourceVersion", ""}}},
          {"items", std::move(objects)}};
}

void print_names(const std::vector<Json>& objects, std::ostream& out) {
  for (const Json& object : objects) {
    out << "postgrescluster." << kPostgresClusters.group << "/"
        << printable(kube::string_at(object, {"metadata", "name"})) << "\n";
  }
}

}  // namespace

kube::Result<void> list(const ListOptions& options, kube::Reader& reader, kube::TableReader& tables,
                        const Streams& streams) {
  using enum ListFormat;
  if (options.format == kTable || options.format == kWide) {
    return show_table(options, tables, streams);
  }
  auto objects = read(options, reader);
  if (!objects) return std::unexpected(objects.error());
  if (options.format == kName) {
    print_names(*objects, streams.out);
  } else if (options.format == kJson) {
    print_json(streams.out, document_of(options, *std::move(objects)));
  } else {
    print_yaml(streams.out, document_of(options, *std::move(objects)));
  }
  return {};
}

}  // namespace pgc::plugin
