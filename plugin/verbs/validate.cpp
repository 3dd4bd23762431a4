#include "plugin/verbs/validate.h"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "plugin/printers/text.h"
#include "shared/kube/object.h"
#include "shared/schema/rules/rules.h"
#include "shared/schema/structural/yaml.h"

namespace pgc::plugin {
namespace {

using kube::Json;
using kube::string_at;

constexpr std::string_view kKind = kube::kPostgresClusters.kind;

// One object of a file.
struct Document {
  Json value;
  int line = 0;
  std::vector<std::string> duplicates;
};

std::expected<std::string, std::string> read(const std::string& file, std::istream& in) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(in), {});
  std::error_code problem;
  if (std::filesystem::is_directory(file, problem)) {
    return std::unexpected("\"" + file + "\" is a folder; name the files in it");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::unexpected("the path \"" + file + "\" does not exist or cannot be read");
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string position(const std::string& file, int line) {
  const std::string name = printable(file == "-" ? "standard input" : file);
  return line > 0 ? name + ":" + std::to_string(line) : name;
}

// `kubectl get -o yaml` of several objects wraps them in a List.
std::vector<Document> unwrap(schema::YamlDocument document) {
  const Json* items = kube::find_at(document.value, {"items"});
  const bool is_list = string_at(document.value, {"kind"}).ends_with("List");
  if (!is_list || items == nullptr || !items->is_array()) {
    return {{std::move(document.value), document.line, std::move(document.duplicates)}};
  }
  std::vector<Document> documents;
  for (const Json& item : *items) documents.push_back({item, document.line, {}});
  if (!documents.empty()) documents.front().duplicates = std::move(document.duplicates);
  return documents;
}

bool of_our_group(const Json& object) {
  const std::string prefix = std::string(kube::kPostgresClusters.group) + "/";
  return string_at(object, {"kind"}) == kKind &&
         string_at(object, {"apiVersion"}).starts_with(prefix);
}

struct Findings {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

// What strict validation refuses first, then what the schema and the rules say of the object as it
// would be stored.
Findings judge(Document& document) {
  Findings findings{.errors = document.duplicates, .warnings = {}};
  if (string_at(document.value, {"apiVersion"}) != kube::kPostgresClusters.api_version()) {
    findings.errors.push_back("no matches for kind \"" + std::string(kKind) + "\" in version \"" +
                              std::string(string_at(document.value, {"apiVersion"})) + "\"; want " +
                              kube::kPostgresClusters.api_version());
    return findings;
  }
  for (std::string& unknown : schema::unknown_fields(document.value)) {
    findings.errors.push_back(std::move(unknown));
  }
  schema::apply_defaults(document.value);
  schema::Verdict verdict = schema::check(document.value);
  for (const schema::FieldError& error : verdict.errors)
    findings.errors.push_back(to_string(error));
  findings.warnings = std::move(verdict.warnings);
  return findings;
}

class Report {
 public:
  Report(std::string file, const Streams& streams) : file_(std::move(file)), streams_(streams) {}

  void passed_over(const Document& document) {
    const std::string kind = printable(string_at(document.value, {"kind"}));
    streams_.err << position(file_, document.line) << ": "
                 << (kind.empty() ? "an object without kind" : kind) << " passed over: not a "
                 << kKind << " of " << kube::kPostgresClusters.group << '\n';
  }

  void verdict(const Document& document, const Findings& findings) {
    const std::string name = printable(string_at(document.value, {"metadata", "name"}));
    const std::string where = position(file_, document.line) + ": ";
    for (const std::string& warning : findings.warnings) {
      streams_.err << where << "Warning: " << printable(warning) << '\n';
    }
    if (findings.errors.empty()) {
      streams_.out << where << "postgrescluster.db.example.com/" << name << " is valid\n";
    } else {
      streams_.err << where << "The " << kKind << " \"" << name << "\" is invalid: ";
      list(findings.errors);
    }
  }

  void unreadable(const std::string& why) { streams_.err << "error: " << printable(why) << '\n'; }

 private:
  void list(const std::vector<std::string>& errors) {
    if (errors.size() == 1) {
      streams_.err << printable(errors[0]) << '\n';
      return;
    }
    streams_.err << '\n';
    for (const std::string& error : errors) streams_.err << "* " << printable(error) << '\n';
  }

  std::string file_;
  const Streams& streams_;
};

ValidateResult validate_documents(std::vector<Document> documents, const std::string& file,
                                  Report& report) {
  auto result = ValidateResult::kValid;
  bool found = false;
  for (Document& document : documents) {
    if (!of_our_group(document.value)) {
      report.passed_over(document);
      continue;
    }
    found = true;
    const Findings findings = judge(document);
    report.verdict(document, findings);
    if (!findings.errors.empty()) result = ValidateResult::kInvalid;
  }
  if (found) return result;
  report.unreadable("there is no " + std::string(kKind) + " in " + position(file, 0));
  return ValidateResult::kUnreadable;
}

ValidateResult validate_file(const std::string& file, const Streams& streams) {
  Report report(file, streams);
  const auto text = read(file, streams.in);
  if (!text) {
    report.unreadable(text.error());
    return ValidateResult::kUnreadable;
  }
  auto parsed = schema::parse_yaml(*text);
  if (!parsed) {
    report.unreadable(position(file, parsed.error().line) + ": " + parsed.error().message);
    return ValidateResult::kUnreadable;
  }
  std::vector<Document> documents;
  for (schema::YamlDocument& document : *parsed) {
    std::ranges::move(unwrap(std::move(document)), std::back_inserter(documents));
  }
  return validate_documents(std::move(documents), file, report);
}

}  // namespace

ValidateResult validate(const ValidateOptions& options, const Streams& streams) {
  auto worst = ValidateResult::kValid;
  for (const std::string& file : options.files) {
    worst = std::max(worst, validate_file(file, streams));
  }
  return worst;
}

}  // namespace pgc::plugin
