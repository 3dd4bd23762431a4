#include "plugin/printers/cluster.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "plugin/printers/age.h"
#include "plugin/printers/table.h"
#include "shared/reconcile/names.h"

namespace pgc::plugin {
namespace {

using kube::find_at;
using kube::int_at;
using kube::Json;
using kube::Object;

constexpr std::size_t kLabelWidth = 13;
constexpr std::size_t kMostEvents = 10;

using Path = std::initializer_list<std::string_view>;

std::string text_at(const Json& document, Path path) {
  return printable(kube::string_at(document, path));
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

// A number that may be missing.
std::string number_at(const Json& document, Path path) {
  const Json* value = find_at(document, path);
  return value != nullptr && value->is_number_integer() ? std::to_string(value->get<std::int64_t>())
                                                        : "";
}

// A quantity is a string or a number.
std::string quantity_at(const Json& document, Path path) {
  const std::string number = number_at(document, path);
  return number.empty() ? text_at(document, path) : number;
}

bool flag_at(const Json& document, Path path) {
  const Json* value = find_at(document, path);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

const Json& list_at(const Json& document, Path path) {
  static const Json empty = Json::array();
  const Json* list = find_at(document, path);
  return list != nullptr && list->is_array() ? *list : empty;
}

bool has_status(const Object& cluster) {
  return int_at(cluster.json(), {"status", "observedGeneration"}) > 0;
}

const Json* condition(const Object& cluster, std::string_view type) {
  for (const Json& candidate : list_at(cluster.json(), {"status", "conditions"})) {
    if (kube::string_at(candidate, {"type"}) == type) return &candidate;
  }
  return nullptr;
}

bool holds(const Json* condition) {
  return condition != nullptr && kube::string_at(*condition, {"status"}) == "True";
}

std::string phase_text(const Object& cluster, const Palette& palette) {
  const std::string phase = or_dash(text_at(cluster.json(), {"status", "phase"}));
  if (holds(condition(cluster, "Ready"))) return palette.good(phase);
  return holds(condition(cluster, "PrimaryAvailable")) ? palette.doubtful(phase)
                                                       : palette.bad(phase);
}

std::string wanted_and_ready(const Object& cluster) {
  const std::string wanted = number_at(cluster.json(), {"spec", "replicas"});
  if (!has_status(cluster)) return wanted + " wanted";
  std::string text = std::to_string(int_at(cluster.json(), {"status", "readyReplicas"})) + " of " +
                     wanted + " ready";
  const std::string exist = std::to_string(int_at(cluster.json(), {"status", "replicas"}));
  return exist == wanted ? text : text + ", " + exist + " exist";
}

std::string storage(const Object& cluster) {
  const Json& json = cluster.json();
  const std::string storage_class = text_at(json, {"spec", "storage", "storageClass"});
  return or_dash(quantity_at(json, {"spec", "storage", "size"})) + " for each instance, " +
         (storage_class.empty() ? "the default StorageClass" : "StorageClass " + storage_class);
}

// Only what differs from Retain needs a word: it is what may lose data.
std::string deleted_volumes(const Object& cluster) {
  const auto policy = [&](std::string_view when) {
    return kube::string_at(cluster.json(),
                           {"spec", "storage", "persistentVolumeClaimRetentionPolicy", when});
  };
  std::string text;
  if (policy("whenScaled") == "Delete") text = "when scaled in";
  if (policy("whenDeleted") == "Delete")
    text += std::string(text.empty() ? "" : " and ") + "when the cluster is deleted";
  return text;
}

std::string deleted_text(const Object& cluster, std::chrono::system_clock::time_point now) {
  return "being deleted, for " +
         age(kube::string_at(cluster.json(), {"metadata", "deletionTimestamp"}), now);
}

std::string lag(const Json& instance) {
  const Json* bytes = find_at(instance, {"lagBytes"});
  if (bytes == nullptr || !bytes->is_number_integer()) return "-";
  return human_bytes(bytes->get<std::int64_t>());
}

// Free space of the data volume, "12 GiB of 20 GiB".
std::string disk(const Json& instance) {
  const std::int64_t total = kube::int_at(instance, {"dataVolume", "totalBytes"});
  if (total == 0) return "-";
  return human_bytes(kube::int_at(instance, {"dataVolume", "freeBytes"})) + " of " +
         human_bytes(total);
}

// The time of an event of events.k8s.io/v1; older reporters fill the deprecated fields only.
std::string_view event_time(const Object& event) {
  for (const Path& path : {Path{"series", "lastObservedTime"}, Path{"deprecatedLastTimestamp"},
                           Path{"eventTime"}, Path{"metadata", "creationTimestamp"}}) {
    if (const auto time = kube::string_at(event.json(), path); !time.empty()) return time;
  }
  return "";
}

std::string event_source(const Object& event) {
  const std::string controller = text_at(event.json(), {"reportingController"});
  return controller.empty() ? text_at(event.json(), {"deprecatedSource", "component"}) : controller;
}

std::string event_count(const Object& event) {
  const std::int64_t count = std::max(int_at(event.json(), {"series", "count"}),
                                      int_at(event.json(), {"deprecatedCount"}));
  return count > 1 ? " (x" + std::to_string(count) + ")" : "";
}

std::vector<Object> newest(std::vector<Object> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Object& a, const Object& b) { return event_time(a) < event_time(b); });
  if (events.size() > kMostEvents) {
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(kMostEvents));
  }
  return events;
}

}  // namespace

void ClusterPrinter::line(const std::string& label, const std::string& text) const {
  const std::string head = label.empty() ? "" : label + ":";
  out_ << head << std::string(kLabelWidth - std::min(kLabelWidth, head.size()), ' ')
       << or_dash(text) << '\n';
}

void ClusterPrinter::heading(const std::string& text) const {
  out_ << '\n' << palette_.bold(text + ":") << '\n';
}

std::string ClusterPrinter::status_text(const Object& cluster) const {
  if (cluster.being_deleted()) return palette_.doubtful(deleted_text(cluster, now_));
  if (!has_status(cluster)) {
    return palette_.doubtful("not reconciled yet: no operator has looked at it");
  }
  const Json* ready = condition(cluster, "Ready");
  std::string text = phase_text(cluster, palette_);
  if (ready != nullptr && !holds(ready)) text += ": " + text_at(*ready, {"message"});
  if (int_at(cluster.json(), {"status", "observedGeneration"}) < cluster.generation()) {
    text += " (before the latest change: the operator has not looked at that yet)";
  }
  return text;
}

void ClusterPrinter::print_summary(const Object& cluster) const {
  const Json& json = cluster.json();
  const std::string created = text_at(json, {"metadata", "creationTimestamp"});
  line("Name", palette_.bold(printable(cluster.name())));
  line("Namespace", printable(cluster.ns()));
  line("Created", created + " (" + age(created, now_) + " ago)");
  line("Status", status_text(cluster));
  line("Version", text_at(json, {"spec", "version"}));
  line("Replicas", wanted_and_ready(cluster));
  line("Storage", storage(cluster));
  if (const auto when = deleted_volumes(cluster); !when.empty()) {
    line("", palette_.doubtful("volumes are deleted " + when));
  }
  if (!has_status(cluster)) return;
  line("Primary", text_at(json, {"status", "currentPrimary"}));
  line("Timeline", number_at(json, {"status", "timeline"}));
  line("System ID", text_at(json, {"status", "systemIdentifier"}));
  line("Image", text_at(json, {"status", "image"}));
  line("TLS", text_at(json, {"status", "tlsMode"}));
}

void ClusterPrinter::print_connection(const Object& cluster) const {
  const reconcile::Names names{printable(cluster.name())};
  const std::string ns = printable(cluster.ns());
  const std::string secret = names.app_secret();
  heading("Connect");
  out_ << "  read and write  " << names.read_write_service() << "." << ns << ".svc:5432\n"
       << "  read only       " << names.read_only_service() << "." << ns << ".svc:5432\n"
       << "  credentials     Secret " << secret << ": username, password, dbname\n"
       << "  from here       kubectl -n " << ns << " port-forward service/"
       << names.read_write_service() << " 5432\n"
       << "                  PGPASSWORD=$(kubectl -n " << ns << " get secret " << secret
       << " -o jsonpath={.data.password} | base64 -d) psql -h localhost -U app app\n";
}

void ClusterPrinter::print_instances(const Object& cluster) const {
  const Json& instances = list_at(cluster.json(), {"status", "instances"});
  heading("Instances");
  if (instances.empty()) {
    out_ << "  none yet\n";
    return;
  }
  Table table({"NAME", "ROLE", "STATE", "READY", "TIMELINE", "LAG", "DISK FREE", "NODE"});
  for (const Json& instance : instances) {
    const bool ready = flag_at(instance, {"ready"});
    const std::string role = or_dash(text_at(instance, {"role"}));
    table.add({text_at(instance, {"name"}),
               {role, role == reconcile::kPrimary ? palette_.bold(role) : role},
               or_dash(text_at(instance, {"state"})),
               ready ? Cell("yes", palette_.good("yes")) : Cell("no", palette_.bad("no")),
               or_dash(number_at(instance, {"timeline"})),
               lag(instance),
               disk(instance),
               or_dash(text_at(instance, {"node"}))});
  }
  table.print(out_, "  ");
}

void ClusterPrinter::print_pending(const Object& cluster) const {
  bool first = true;
  for (const Json& instance : list_at(cluster.json(), {"status", "instances"})) {
    if (!flag_at(instance, {"pendingRestart"})) continue;
    if (first) heading("Pending changes");
    first = false;
    out_ << "  " << text_at(instance, {"name"})
         << " takes its new settings with its next restart\n";
  }
}

void ClusterPrinter::print_conditions(const Object& cluster) const {
  const Json& conditions = list_at(cluster.json(), {"status", "conditions"});
  if (conditions.empty()) return;
  heading("Conditions");
  Table table({"TYPE", "STATUS", "REASON", "AGE", "MESSAGE"});
  for (const Json& condition : conditions) {
    table.add({text_at(condition, {"type"}), text_at(condition, {"status"}),
               text_at(condition, {"reason"}),
               age(kube::string_at(condition, {"lastTransitionTime"}), now_),
               text_at(condition, {"message"})});
  }
  table.print(out_, "  ");
}

void ClusterPrinter::print(const Object& cluster) const {
  print_summary(cluster);
  print_connection(cluster);
  print_instances(cluster);
  print_pending(cluster);
  print_conditions(cluster);
}

void ClusterPrinter::print_events(const std::vector<Object>& events) const {
  heading("Events");
  if (events.empty()) {
    out_ << "  none\n";
    return;
  }
  Table table({"TYPE", "REASON", "AGE", "FROM", "MESSAGE"});
  for (const Object& event : newest(events)) {
    const std::string type = text_at(event.json(), {"type"});
    table.add({{type, type == "Warning" ? palette_.doubtful(type) : type},
               text_at(event.json(), {"reason"}),
               age(event_time(event), now_),
               event_source(event),
               text_at(event.json(), {"note"}) + event_count(event)});
  }
  table.print(out_, "  ");
}

void ClusterPrinter::print_no_events(const std::string& why) const {
  heading("Events");
  out_ << "  not to be had: " << printable(why) << '\n';
}

}  // namespace pgc::plugin
