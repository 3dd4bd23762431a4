#include "shared/kube/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "shared/kube/kubeconfig_fields.h"
#include "shared/kube/object.h"

namespace pgc::kube {
namespace {

namespace fs = std::filesystem;
using std::unexpected;

#ifdef _WIN32
constexpr char kListSeparator = ';';
#else
constexpr char kListSeparator = ':';
#endif

// --- Files, and how they merge ---

// One named cluster, user or context, and the folder that its relative paths start from.
struct Entry {
  YAML::Node fields;
  fs::path folder;
};

using Entries = std::map<std::string, Entry>;

// What all files say together. The first file that names an entry or a current context wins.
struct Merged {
  Entries clusters;
  Entries users;
  Entries contexts;
  std::string current_context;
};

std::string text_at(const YAML::Node& node, const char* key) {
  if (!node.IsMap()) return "";
  const YAML::Node value = node[key];
  return value && value.IsScalar() ? value.Scalar() : "";
}

bool flag_at(const YAML::Node& node, const char* key) {
  return text_at(node, key) == "true";
}

// `list` is "clusters", and then each item has "name" and, under `field`, a map.
void merge_entries(Entries& into, const YAML::Node& file, const char* list, const char* field,
                   const fs::path& folder) {
  const YAML::Node items = file[list];
  if (!items || !items.IsSequence()) return;
  for (const YAML::Node& item : items) {
    const std::string name = text_at(item, "name");
    const YAML::Node fields = item.IsMap() ? item[field] : YAML::Node();
    into.try_emplace(
        name, Entry{fields && fields.IsMap() ? fields : YAML::Node(YAML::NodeType::Map), folder});
  }
}

void merge(Merged& into, const YAML::Node& file, const fs::path& folder) {
  merge_entries(into.clusters, file, "clusters", "cluster", folder);
  merge_entries(into.users, file, "users", "user", folder);
  merge_entries(into.contexts, file, "contexts", "context", folder);
  if (into.current_context.empty()) into.current_context = text_at(file, "current-context");
}

Error unreadable(const fs::path& path, const std::string& why) {
  return refuse_kubeconfig("error loading config file \"" + path.string() + "\": " + why);
}

Result<void> merge_file(Merged& into, const fs::path& path) {
  const auto text = read_config_file(path);
  if (!text) return unexpected(unreadable(path, text.error().message));
  try {
    const YAML::Node file = YAML::Load(*text);  // JSON is YAML, too
    if (file.IsNull()) return {};
    if (!file.IsMap()) return unexpected(unreadable(path, "it is no map of kubeconfig fields"));
    merge(into, file, fs::absolute(path).parent_path());
  } catch (const YAML::Exception& problem) {
    const std::string line = std::to_string(problem.mark.line + 1);
    return unexpected(unreadable(path, "yaml: line " + line + ": " + problem.msg));
  }
  return {};
}

// --- Which files ---

std::string value_of(const Environment& environment, const char* name) {
  return environment(name).value_or("");
}

std::vector<fs::path> split_list(const std::string& list) {
  std::vector<fs::path> paths;
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, kListSeparator);) {
    if (!item.empty()) paths.emplace_back(item);
  }
  return paths;
}

// $HOME, on Windows also what stands for it there.
fs::path home_folder(const Environment& environment) {
  if (const std::string home = value_of(environment, "HOME"); !home.empty()) return home;
  return value_of(environment, "USERPROFILE");
}

// Where kubectl would look. A file that is missing is no error here, so that a list may name some
// that come and go.
std::vector<fs::path> search_list(const Environment& environment) {
  if (const std::string list = value_of(environment, "KUBECONFIG"); !list.empty()) {
    return split_list(list);
  }
  const fs::path home = home_folder(environment);
  if (home.empty()) return {};
  return {home / ".kube" / "config"};
}

Result<Merged> merge_existing(const std::vector<fs::path>& paths, bool& found) {
  Merged merged;
  for (const fs::path& path : paths) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    found = true;
    if (auto done = merge_file(merged, path); !done) return unexpected(done.error());
  }
  return merged;
}

// --- Which context ---

std::string path_at(const Entry& entry, const char* key) {
  const std::string path = text_at(entry.fields, key);
  return path.empty() ? "" : (entry.folder / path).lexically_normal().string();
}

// A value of YAML as JSON. What is quoted is text, whatever it looks like.
Json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    Json map = Json::object();
    for (const auto& entry : node) map[entry.first.Scalar()] = json_of(entry.second);
    return map;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& item : node) list.push_back(json_of(item));
    return list;
  }
  if (!node.IsScalar()) return nullptr;
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  const Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return number.is_number() ? number : Json(text);
}

// What a cluster says to the exec plugins of its users.
std::string exec_extension(const Entry& cluster) {
  const YAML::Node extensions = cluster.fields["extensions"];
  if (!extensions || !extensions.IsSequence()) return "";
  for (const YAML::Node& item : extensions) {
    if (text_at(item, "name") != "client.authentication.k8s.io/exec") continue;
    const YAML::Node extension = item["extension"];
    return extension && !extension.IsNull() ? json_of(extension).dump() : "";
  }
  return "";
}

ClusterFields read_cluster(const std::string& name, const Entry& entry) {
  return {.name = name,
          .server = text_at(entry.fields, "server"),
          .ca_file = path_at(entry, "certificate-authority"),
          .ca_data = text_at(entry.fields, "certificate-authority-data"),
          .tls_server_name = text_at(entry.fields, "tls-server-name"),
          .proxy_url = text_at(entry.fields, "proxy-url"),
          .insecure = flag_at(entry.fields, "insecure-skip-tls-verify"),
          .exec_config = exec_extension(entry)};
}

std::vector<std::string> texts_at(const YAML::Node& node, const char* key) {
  std::vector<std::string> texts;
  const YAML::Node list = node[key];
  if (!list || !list.IsSequence()) return texts;
  for (const YAML::Node& item : list) texts.push_back(item.IsScalar() ? item.Scalar() : "");
  return texts;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// A map of lists, as as-user-extra has them.
Pairs extras_at(const YAML::Node& node, const char* key) {
  Pairs pairs;
  const YAML::Node map = node[key];
  if (!map || !map.IsMap()) return pairs;
  for (const auto& entry : map) {
    for (const YAML::Node& value : entry.second) {
      if (value.IsScalar()) pairs.emplace_back(entry.first.Scalar(), value.Scalar());
    }
  }
  return pairs;
}

Pairs variables_at(const YAML::Node& node) {
  Pairs pairs;
  const YAML::Node list = node["env"];
  if (!list || !list.IsSequence()) return pairs;
  for (const YAML::Node& item : list) {
    pairs.emplace_back(text_at(item, "name"), text_at(item, "value"));
  }
  return pairs;
}

InteractiveMode interactive_mode_at(const YAML::Node& node) {
  const std::string mode = text_at(node, "interactiveMode");
  if (mode == "Never") return InteractiveMode::kNever;
  return mode == "Always" ? InteractiveMode::kAlways : InteractiveMode::kIfAvailable;
}

// A command with a separator in it is a path from the kubeconfig's folder, as all its paths.
std::string command_at(const YAML::Node& node, const fs::path& folder) {
  const std::string command = text_at(node, "command");
  if (command.find('/') == std::string::npos) return command;
  return (folder / command).lexically_normal().string();
}

std::optional<ExecPlugin> read_exec(const Entry& entry) {
  const YAML::Node node = entry.fields["exec"];
  if (!node || !node.IsMap()) return std::nullopt;
  return ExecPlugin{.api_version = text_at(node, "apiVersion"),
                    .command = command_at(node, entry.folder),
                    .arguments = texts_at(node, "args"),
                    .environment = variables_at(node),
                    .install_hint = text_at(node, "installHint"),
                    .provide_cluster_info = flag_at(node, "provideClusterInfo"),
                    .interactive_mode = interactive_mode_at(node),
                    .interactive_mode_name = text_at(node, "interactiveMode")};
}

UserFields read_user(const std::string& name, const Entry& entry) {
  const YAML::Node& fields = entry.fields;
  const YAML::Node provider = fields["auth-provider"];
  return {.name = name,
          .certificate_file = path_at(entry, "client-certificate"),
          .certificate_data = text_at(fields, "client-certificate-data"),
          .key_file = path_at(entry, "client-key"),
          .key_data = text_at(fields, "client-key-data"),
          .token = text_at(fields, "token"),
          .token_file = path_at(entry, "tokenFile"),
          .username = text_at(fields, "username"),
          .password = text_at(fields, "password"),
          .as = text_at(fields, "as"),
          .as_uid = text_at(fields, "as-uid"),
          .as_groups = texts_at(fields, "as-groups"),
          .as_extra = extras_at(fields, "as-user-extra"),
          .exec = read_exec(entry),
          .provider = provider && provider.IsMap() ? text_at(provider, "name") : ""};
}

// Fills `entry` from `entries`; an empty name leaves it empty, a name that is not there is an
// error.
Result<Entry> look_up(const Entries& entries, const std::string& name, const std::string& problem) {
  if (name.empty()) return Entry{YAML::Node(YAML::NodeType::Map), {}};
  const auto found = entries.find(name);
  if (found == entries.end()) return unexpected(contradictory_kubeconfig({problem}));
  return found->second;
}

Result<Entry> choose_context(const Merged& merged, const KubeconfigOptions& options) {
  if (!options.context.empty() && !merged.contexts.contains(options.context)) {
    return unexpected(refuse_kubeconfig("context \"" + options.context + "\" does not exist"));
  }
  const std::string& name = options.context.empty() ? merged.current_context : options.context;
  return look_up(merged.contexts, name, "context was not found for specified context: " + name);
}

// A flag names the entry itself; else the context does.
std::string entry_name(const std::string& flag, const Entry& context, const char* key) {
  return flag.empty() ? text_at(context.fields, key) : flag;
}

Result<Config> resolve(const Merged& merged, const KubeconfigOptions& options) {
  const auto context = choose_context(merged, options);
  if (!context) return unexpected(context.error());
  const std::string cluster_name = entry_name(options.cluster, *context, "cluster");
  const std::string user_name = entry_name(options.user, *context, "user");
  const auto cluster_entry =
      look_up(merged.clusters, cluster_name, "cluster \"" + cluster_name + "\" does not exist");
  if (!cluster_entry) return unexpected(cluster_entry.error());
  const auto user_entry =
      look_up(merged.users, user_name, "auth info \"" + user_name + "\" does not exist");
  if (!user_entry) return unexpected(user_entry.error());

  ClusterFields cluster = read_cluster(cluster_name, *cluster_entry);
  UserFields user = read_user(user_name, *user_entry);
  override_cluster(cluster, options);
  override_user(user, options);
  if (cluster.server.empty()) {
    return unexpected(contradictory_kubeconfig(
        {cluster_name.empty() ? "no context is chosen: give --context NAME, or set "
                                "current-context in the kubeconfig"
                              : "no server found for cluster \"" + cluster_name + "\""}));
  }
  auto config = to_config(cluster, user);
  if (!config) return config;
  if (auto ns = text_at(context->fields, "namespace"); !ns.empty()) config->ns = ns;
  return config;
}

Result<Config> without_files(const std::vector<fs::path>& looked_at, const Environment& environment,
                             const KubeconfigOptions& options) {
  if (!options.server.empty()) return resolve({}, options);
  if (!value_of(environment, "KUBERNETES_SERVICE_HOST").empty()) return in_cluster_config();
  std::string message = "no configuration has been provided";
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    message += (i == 0 ? ": no file at " : ", ") + looked_at[i].string();
  }
  return unexpected(refuse_kubeconfig(message + "; give --kubeconfig FILE or set KUBECONFIG"));
}

Result<Config> from_files(const KubeconfigOptions& options, const Environment& environment) {
  bool found = false;
  if (!options.kubeconfig.empty() && !fs::exists(options.kubeconfig)) {
    return unexpected(
        refuse_kubeconfig("stat " + options.kubeconfig + ": no such file or directory"));
  }
  const std::vector<fs::path> paths = options.kubeconfig.empty()
                                          ? search_list(environment)
                                          : std::vector<fs::path>{options.kubeconfig};
  const auto merged = merge_existing(paths, found);
  if (!merged) return unexpected(merged.error());
  return found ? resolve(*merged, options) : without_files(paths, environment, options);
}

}  // namespace

Result<Config> load_kubeconfig(const KubeconfigOptions& options, const Environment& environment) {
  auto config = from_files(options, environment);
  if (config && !options.ns.empty()) config->ns = options.ns;
  return config;
}

}  // namespace pgc::kube
