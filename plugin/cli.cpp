#include "plugin/cli.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <ostream>

#include "plugin/connect.h"
#include "plugin/duration.h"
#include "plugin/errors.h"
#include "plugin/printers/text.h"
#include "plugin/verbs/describe.h"
#include "plugin/verbs/doctor.h"
#include "plugin/verbs/list.h"
#include "plugin/verbs/scale.h"
#include "plugin/verbs/validate.h"
#include "plugin/verbs/version.h"

namespace pgc::plugin {
namespace {

constexpr const char* kProgram = "kubectl pgc";

// Texts as they were given; what they mean is found out after parsing, in our own words.
struct Arguments {
  ConnectionFlags connection;
  std::string request_timeout = "0";
  std::string name;
  std::string replicas;
  bool wait = false;
  std::string timeout = "5m";
  bool all_namespaces = false;
  std::string selector;
  ValidateOptions validate;
  std::vector<std::string> files;
  std::string output;
};

struct Usage {
  std::string message;
};

// --- What can be given ---

void add_connection_flags(CLI::App& app, Arguments& arguments) {
  auto& to = arguments.connection.kubeconfig;
  const auto text = [&](const char* flags, std::string& value, const char* help) {
    app.add_option(flags, value, help)->take_last()->group("Connection");
  };
  text("-n,--namespace", to.ns, "The namespace; else that of the context, else default");
  text("--context", to.context, "The context of the kubeconfig; else its current one");
  text("--kubeconfig", to.kubeconfig, "The kubeconfig file; else $KUBECONFIG, else ~/.kube/config");
  text("--cluster", to.cluster, "The cluster of the kubeconfig");
  text("--user", to.user, "The user of the kubeconfig");
  text("-s,--server", to.server, "The URL of the API server");
  text("--certificate-authority", to.certificate_authority, "A file with the API server's CA");
  text("--tls-server-name", to.tls_server_name, "The name that the API server's certificate has");
  text("--client-certificate", to.client_certificate, "A file with the client certificate");
  text("--client-key", to.client_key, "A file with the key of the client certificate");
  text("--token", to.token, "A bearer token");
  text("--username", to.username, "The name for basic authentication");
  text("--password", to.password, "The password for basic authentication");
  text("--as", to.impersonate_user, "The user to impersonate");
  text("--as-uid", to.impersonate_uid, "The UID to impersonate");
  text("--request-timeout", arguments.request_timeout,
       "How long one request may take, such as 10s; 0 is 30s");
  app.add_option("--as-group", to.impersonate_groups, "A group to impersonate, may be repeated")
      ->allow_extra_args(false)
      ->group("Connection");
  app.add_option("--as-user-extra", to.impersonate_extra,
                 "KEY=VALUE of the user to impersonate, may be repeated")
      ->allow_extra_args(false)
      ->group("Connection");
  app.add_flag("--insecure-skip-tls-verify", to.insecure_skip_tls_verify,
               "Do not check the API server's certificate; this makes the connection insecure")
      ->group("Connection");
}

// `arguments` is what stands behind the name in the line of usage.
CLI::App* add_verb(CLI::App& app, const std::string& name, const char* help,
                   const std::string& arguments) {
  CLI::App* verb = app.add_subcommand(name, help);
  verb->fallthrough();
  verb->usage("Usage: " + (kProgram + (" " + name)) + " " + arguments);
  return verb;
}

void add_word(CLI::App& verb, const char* name, std::string& value, const char* help) {
  verb.add_option(name, value, help)->type_name("")->required();
}

void add_scale(CLI::App& app, Arguments& arguments) {
  CLI::App* verb = add_verb(app, "scale", "Set the number of instances, primary included",
                            "NAME REPLICAS [FLAGS]");
  add_word(*verb, "NAME", arguments.name, "The PostgresCluster");
  add_word(*verb, "REPLICAS", arguments.replicas, "The number of instances");
  verb->add_flag("--wait", arguments.wait, "Wait until all of them are ready");
  verb->add_option("--timeout", arguments.timeout, "How long to wait, such as 90s or 10m")
      ->take_last()
      ->capture_default_str();
  add_connection_flags(*verb, arguments);
  verb->footer("Example:\n  kubectl pgc scale my-db 3 --wait");
}

void add_list(CLI::App& app, Arguments& arguments) {
  CLI::App* verb = add_verb(app, "list", "Show clusters, a line each, as kubectl get pgc does",
                            "[NAME] [-A] [-l SELECTOR] [-o FORMAT] [FLAGS]");
  verb->add_option("NAME", arguments.name, "This PostgresCluster alone")->type_name("");
  verb->add_flag("-A,--all-namespaces", arguments.all_namespaces, "Those of all namespaces");
  verb->add_option("-l,--selector", arguments.selector, "Those with these labels: app=shop,tier!=x")
      ->take_last();
  verb->add_option("-o,--output", arguments.output, "wide, json, yaml or name")->take_last();
  add_connection_flags(*verb, arguments);
  verb->footer(
      "Examples:\n"
      "  kubectl pgc list\n"
      "  kubectl pgc list -A -o wide\n"
      "  kubectl pgc list -l app=shop -o name\n"
      "  kubectl pgc list my-db -o yaml");
}

void add_describe(CLI::App& app, Arguments& arguments) {
  CLI::App* verb = add_verb(app, "describe", "Show all about a cluster", "NAME [FLAGS]");
  add_word(*verb, "NAME", arguments.name, "The PostgresCluster");
  add_connection_flags(*verb, arguments);
  verb->footer("Example:\n  kubectl pgc describe my-db");
}

void add_doctor(CLI::App& app, Arguments& arguments) {
  CLI::App* verb =
      add_verb(app, "doctor", "Find the broken hop between API server and webhook", "[FLAGS]");
  add_connection_flags(*verb, arguments);
  verb->footer(
      "Changes nothing: it reads, and asks for two dry runs in the namespace of -n. What may not "
      "be\n"
      "read is told as unknown. Exits with 1 where a hop is broken.\n"
      "Example:\n  kubectl pgc doctor -n default");
}

void add_validate(CLI::App& app, Arguments& arguments) {
  CLI::App* verb =
      add_verb(app, "validate", "Judge files without a cluster", "-f FILE|FOLDER|- [-f …] [FLAGS]");
  const auto names = [&](const char* flags, std::vector<std::string>& into, const char* help) {
    return verb->add_option(flags, into, help)->allow_extra_args(false);
  };
  names("-f,--filename", arguments.validate.files,
        "A YAML or JSON file, a folder of them, or - for standard input; may be repeated");
  // As pre-commit and shells give files: behind the command.
  verb->add_option("FILE", arguments.files, "The same")->type_name("");
  verb->add_flag("-R,--recursive", arguments.validate.recursive,
                 "Look into the folders inside a folder as well");
  names("--crd", arguments.validate.crds,
        "A file with a CustomResourceDefinition, to judge objects of its kind as well");
  names("--against", arguments.validate.against,
        "A file with the objects as they are now, to judge what is given as changes of them");
  verb->add_option("-o,--output", arguments.output, "text or json")->take_last();
  verb->footer(
      "Exits with 0 where all is valid, 1 where something is not, 2 where a file cannot be read.\n"
      "Examples:\n"
      "  kubectl pgc validate -f my-db.yaml\n"
      "  kubectl pgc validate -R -f deploy/ -o json\n"
      "  kubectl get pgc -A -o yaml | kubectl pgc validate -f my-db.yaml --against -\n"
      "  kubectl pgc validate --crd crd.yaml -f ticket.yaml");
}

void add_version(CLI::App& app, Arguments& arguments) {
  CLI::App* verb = add_verb(app, "version", "Show the version of this program", "[-o json]");
  verb->add_option("-o,--output", arguments.output, "json")->take_last();
}

void add_everything(CLI::App& app, Arguments& arguments) {
  app.usage(std::string("Usage: ") + kProgram + " COMMAND [FLAGS]");
  app.get_formatter()->column_width(36);
  add_scale(app, arguments);
  add_list(app, arguments);
  add_describe(app, arguments);
  add_validate(app, arguments);
  add_doctor(app, arguments);
  add_version(app, arguments);
  add_verb(app, "help", "Show help about a command", "[COMMAND]");
  add_connection_flags(app, arguments);
}

// --- What the texts mean ---

using UsageOr = std::expected<void, Usage>;

UsageOr take_duration(const std::string& flag, const std::string& text,
                      std::chrono::milliseconds& into) {
  const auto duration = parse_duration(text);
  if (!duration) {
    return std::unexpected(Usage{"invalid argument \"" + text + "\" for \"" + flag +
                                 "\": want a duration such as 90s, 5m or 1h30m"});
  }
  into = *duration;
  return {};
}

UsageOr take_replicas(const std::string& text, std::int64_t& into) {
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, into);
  if (problem == std::errc() && rest == end && !text.empty()) return {};
  return std::unexpected(
      Usage{"invalid argument \"" + text + "\" for REPLICAS: want a whole number, such as 3"});
}

std::optional<ListFormat> list_format(const std::string& output) {
  using enum ListFormat;
  static const std::map<std::string, ListFormat> formats{
      {"", kTable}, {"wide", kWide}, {"json", kJson}, {"yaml", kYaml}, {"name", kName}};
  const auto found = formats.find(output);
  return found == formats.end() ? std::nullopt : std::optional(found->second);
}

// In kubectl's words.
UsageOr check_selection(const Arguments& arguments) {
  if (arguments.name.empty()) return {};
  if (!arguments.selector.empty()) {
    return std::unexpected(Usage{"name cannot be provided when a selector is specified"});
  }
  if (!arguments.all_namespaces) return {};
  return std::unexpected(Usage{"a resource cannot be retrieved by name across all namespaces"});
}

UsageOr take_request_timeout(Arguments& arguments) {
  auto& into = arguments.connection.request_timeout;
  const auto otherwise = into;
  auto taken = take_duration("--request-timeout", arguments.request_timeout, into);
  if (into.count() == 0) into = otherwise;
  return taken;
}

// --- Running a command ---

class Command {
 public:
  Command(CLI::App& app, Arguments& arguments, const Process& process)
      : app_(app), arguments_(arguments), process_(process) {}

  int run() {
    if (app_.got_subcommand("scale")) return run_scale();
    if (app_.got_subcommand("list")) return run_list();
    if (app_.got_subcommand("describe")) return run_describe();
    if (app_.got_subcommand("validate")) return run_validate();
    if (app_.got_subcommand("doctor")) return run_doctor();
    if (app_.got_subcommand("version")) return run_version();
    return show_help();
  }

  int show_help() {
    process_.streams.out << app_.help();  // of the verb that was given, if one was
    return 0;
  }

  int usage_error(const std::string& message) {
    process_.streams.err << "error: " << printable(message) << "\nSee '" << command_name()
                         << " --help' for usage.\n";
    return 1;
  }

  int unknown_command(const std::string& word) {
    return usage_error("unknown command \"" + word + "\" for \"" + kProgram + "\"");
  }

  // The words that belong nowhere, in kubectl's words.
  int unexpected_word(const std::string& word) {
    if (word.starts_with("--")) {
      return usage_error("unknown flag: " + word.substr(0, word.find('=')));
    }
    if (word.starts_with("-") && word.size() > 1) {
      return usage_error("unknown shorthand flag: '" + word.substr(1, 1) + "' in " + word);
    }
    if (app_.get_subcommands().empty()) return unknown_command(word);
    return usage_error("unexpected argument \"" + word + "\"");
  }

 private:
  int no_format(const std::string& allowed) {
    return usage_error("unable to match a printer suitable for the output format \"" +
                       arguments_.output + "\", allowed formats are: " + allowed);
  }

  std::string command_name() const {
    const auto verbs = app_.get_subcommands();
    return verbs.empty() ? kProgram : kProgram + (" " + verbs.front()->get_name());
  }

  // Connects, does `work` with the connection and tells of any error.
  template <typename Work>
  int with_cluster(const Work& work) {
    if (auto taken = take_request_timeout(arguments_); !taken) {
      return usage_error(taken.error().message);
    }
    Subject subject{.name = printable(arguments_.name), .server = {}};
    const auto done = [&]() -> kube::Result<void> {
      const auto connection = connect(arguments_.connection, process_);
      if (!connection) return std::unexpected(connection.error());
      subject.server = connection->server;
      return work(*connection);
    }();
    if (done) return 0;
    process_.streams.err << error_text(done.error(), subject);
    return 1;
  }

  // The same for a command about one object.
  template <typename Work>
  int with_object(const Work& work) {
    return with_cluster([&](const Connection& connection) -> kube::Result<void> {
      if (auto fine = check_path_segment("resource name", arguments_.name); !fine) return fine;
      return work(connection);
    });
  }

  int run_scale() {
    ScaleOptions options{.ns = {},
                         .name = arguments_.name,
                         .replicas = 0,
                         .wait = arguments_.wait ? Wait::kYes : Wait::kNo,
                         .timeout = {}};
    if (auto taken = take_replicas(arguments_.replicas, options.replicas); !taken) {
      return usage_error(taken.error().message);
    }
    if (auto taken = take_duration("--timeout", arguments_.timeout, options.timeout); !taken) {
      return usage_error(taken.error().message);
    }
    return with_object([&](const Connection& connection) {
      options.ns = connection.ns;
      return scale(options, *connection.client, process_.streams, process_.clock);
    });
  }

  int run_list() {
    const auto format = list_format(arguments_.output);
    if (!format) return no_format("json, name, wide, yaml");
    if (auto fine = check_selection(arguments_); !fine) return usage_error(fine.error().message);
    return with_cluster([&](const Connection& connection) -> kube::Result<void> {
      const ListOptions options{.ns = arguments_.all_namespaces ? "" : connection.ns,
                                .name = arguments_.name,
                                .label_selector = arguments_.selector,
                                .format = *format};
      if (!options.name.empty()) {
        if (auto fine = check_path_segment("resource name", options.name); !fine) return fine;
      }
      return list(options, *connection.client, *connection.client, process_.streams);
    });
  }

  int run_describe() {
    const bool colour = colour_allowed(process_.streams.out_is_terminal, process_.environment);
    return with_object([&](const Connection& connection) {
      return describe({.ns = connection.ns, .name = arguments_.name, .colour = colour},
                      *connection.client, process_.streams, process_.clock);
    });
  }

  int run_doctor() {
    const bool colour = colour_allowed(process_.streams.out_is_terminal, process_.environment);
    bool healthy = false;
    const int code = with_cluster([&](const Connection& connection) -> kube::Result<void> {
      const auto found = doctor({.ns = connection.ns, .colour = colour}, *connection.client,
                                process_.streams, process_.clock);
      if (!found) return std::unexpected(found.error());
      healthy = *found;
      return {};
    });
    return code == 0 && !healthy ? 1 : code;
  }

  int run_validate() {
    ValidateOptions& options = arguments_.validate;
    options.files.insert(options.files.end(), arguments_.files.begin(), arguments_.files.end());
    if (options.files.empty()) return usage_error("must specify a file with -f");
    const std::string& output = arguments_.output;
    if (!output.empty() && output != "json" && output != "text") return no_format("json, text");
    options.json = output == "json";
    options.colour = colour_allowed(process_.streams.err_is_terminal, process_.environment);
    return static_cast<int>(validate(options, process_.streams));
  }

  int run_version() {
    if (!arguments_.output.empty() && arguments_.output != "json") {
      return no_format("json");
    }
    version(arguments_.output.empty() ? VersionFormat::kText : VersionFormat::kJson,
            process_.streams.out);
    return 0;
  }

  CLI::App& app_;
  Arguments& arguments_;
  const Process& process_;
};

// `help scale` is `scale --help`.
std::vector<std::string> without_help_verb(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  if (arguments.size() != 1 || arguments.front().starts_with("-")) return {"--help"};
  return {arguments.front(), "--help"};
}

bool is_verb(const CLI::App& app, const std::string& word) {
  const auto named = [&](const CLI::App* verb) { return verb->get_name() == word; };
  return !app.get_subcommands(named).empty();
}

}  // namespace

int run(const std::vector<std::string>& arguments, const Process& process) {
  CLI::App app("pgc runs PostgreSQL clusters on Kubernetes: PostgresCluster resources.", kProgram);
  Arguments given;
  add_everything(app, given);
  Command command(app, given, process);
  const auto words = without_help_verb(arguments);
  if (!words.empty() && !words[0].starts_with("-") && !is_verb(app, words[0])) {
    return command.unknown_command(words[0]);
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 pops from the back
    return command.run();
  } catch (const CLI::CallForHelp&) {
    return command.show_help();
  } catch (const CLI::ExtrasError& problem) {
    const auto left = app.remaining(true);
    return left.empty() ? command.usage_error(problem.what())
                        : command.unexpected_word(left.front());
  } catch (const CLI::ParseError& problem) {
    return command.usage_error(problem.what());
  }
}

}  // namespace pgc::plugin
