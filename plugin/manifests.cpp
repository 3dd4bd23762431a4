#include "plugin/manifests.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>

#include "shared/kube/object.h"

namespace pgc::plugin {
namespace {

namespace fs = std::filesystem;
using schema::Json;

constexpr std::array<std::string_view, 3> kEndings = {".yaml", ".yml", ".json"};

bool is_manifest(const fs::directory_entry& entry) {
  std::error_code problem;
  const std::string ending = entry.path().extension().string();
  return entry.is_regular_file(problem) &&
         std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

// A folder that cannot be read is an error and not an empty one.
void collect(const fs::path& folder, const ManifestOptions& options,
             std::vector<std::string>& files, std::error_code& problem) {
  for (auto entry = fs::directory_iterator(folder, problem); !problem && entry != fs::end(entry);
       entry.increment(problem)) {
    if (is_hidden(entry->path())) continue;
    std::error_code unused;
    if (is_manifest(*entry)) files.push_back(entry->path().string());
    if (options.recursive && entry->is_directory(unused) && !entry->is_symlink(unused)) {
      collect(entry->path(), options, files, problem);
    }
  }
}

std::string display_name(const std::string& file) {
  return file == "-" ? "standard input" : file;
}

std::expected<std::string, Unreadable> read(const std::string& file, std::istream& in) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(in), {});
  std::ifstream stream(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad() || (!stream.is_open())) {
    return std::unexpected(Unreadable{file, 0, "the file does not exist or cannot be read"});
  }
  return text;
}

// `kubectl get -o yaml` of several objects wraps them in a List.
void unwrap(Manifest manifest, std::vector<Manifest>& manifests) {
  const Json* items = kube::find_at(manifest.value, {"items"});
  const bool is_list = kube::string_at(manifest.value, {"kind"}).ends_with("List");
  if (!is_list || items == nullptr || !items->is_array()) {
    manifests.push_back(std::move(manifest));
    return;
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::string prefix = "items[" + std::to_string(i) + "].";
    Manifest item{manifest.file, (*items)[i], {}, manifest.lines, prefix};
    for (const schema::DuplicateField& duplicate : manifest.duplicates) {
      if (!duplicate.field.starts_with(prefix)) continue;
      item.duplicates.push_back({duplicate.line, duplicate.field.substr(prefix.size())});
    }
    manifests.push_back(std::move(item));
  }
}

}  // namespace

int Manifest::line() const {
  return prefix.empty() ? lines->begin() : lines->of(prefix.substr(0, prefix.size() - 1));
}

int Manifest::line_of(const std::string& field) const {
  if (field.empty() || field == "<nil>") return line();
  return lines->of(prefix + field);
}

std::expected<std::vector<std::string>, Unreadable> files_behind(const std::string& name,
                                                                 const ManifestOptions& options) {
  std::error_code problem;
  if (name == "-" || !fs::is_directory(name, problem)) return std::vector<std::string>{name};
  std::vector<std::string> files;
  problem.clear();
  collect(name, options, files, problem);
  if (problem) return std::unexpected(Unreadable{name, 0, "the folder cannot be read"});
  std::sort(files.begin(), files.end());
  return files;
}

ManifestsOr read_manifests(const std::string& file, std::istream& in) {
  const auto text = read(file, in);
  if (!text) return std::unexpected(text.error());
  auto documents = schema::parse_yaml(*text);
  if (!documents) {
    return std::unexpected(
        Unreadable{display_name(file), documents.error().line, documents.error().message});
  }
  std::vector<Manifest> manifests;
  for (schema::YamlDocument& document : *documents) {
    unwrap({display_name(file),
            std::move(document.value),
            std::move(document.duplicates),
            std::make_shared<const schema::YamlLines>(std::move(document.lines)),
            {}},
           manifests);
  }
  return manifests;
}

}  // namespace pgc::plugin
