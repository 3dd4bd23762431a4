#include "tests/agreement/report.h"

#include <algorithm>
#include <fstream>

#include "tests/agreement/differences.h"

namespace pgc::agreement {
namespace {

void print_counts(const char* title, const std::map<std::string, int>& counts, std::ostream& out) {
  out << title << ":\n";
  for (const auto& [name, count] : counts) out << "  " << count << "\t" << name << "\n";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += byte < 0x20 && c != '\n' ? '?' : c;
    }
  }
  return result;
}

}  // namespace

void Report::count(const Resource& resource, const Made& made, const Verdict& server) {
  const std::lock_guard lock(mutex_);
  ++total_;
  ++by_resource_[resource.name()];
  ++by_kind_[made.kind];
  ++by_verdict_[to_string(server.kind)];
  ++by_operation_[to_string(made.request.operation) + ", " + to_string(made.request.strictness)];
}

void Report::count_known(std::string_view name) {
  const std::lock_guard lock(mutex_);
  ++known_[std::string(name)];
}

void Report::add(Difference difference) {
  const std::lock_guard lock(mutex_);
  differences_.push_back(std::move(difference));
}

void Report::print(std::ostream& out) const {
  print_counts("by resource", by_resource_, out);
  print_counts("by kind of object", by_kind_, out);
  print_counts("by operation", by_operation_, out);
  print_counts("by verdict of the API server", by_verdict_, out);
  out << "known differences:\n";
  for (const KnownDifference& known : known_differences()) {
    const auto met = known_.find(known.name);
    out << "  " << (met == known_.end() ? 0 : met->second) << "\t" << known.name << ": "
        << known.explanation << "\n";
  }
  for (const Difference& difference : differences_) {
    out << "DIFFERENCE " << difference.resource << "\n"
        << difference.what << "    " << difference.request << "\n";
  }
  out << total_ << " requests to " << by_resource_.size() << " resources, " << differences_.size()
      << " differences\n";
}

void Report::write_junit(const std::string& path, double seconds) const {
  std::ofstream out(path);
  out << "<testsuites><testsuite name=\"agreement\" tests=\"" << by_resource_.size() << "\" time=\""
      << seconds << "\">\n";
  for (const auto& [name, count] : by_resource_) {
    out << "<testcase classname=\"agreement\" name=\"" << escaped(name) << "\">";
    const auto found = std::find_if(differences_.begin(), differences_.end(),
                                    [&](const Difference& d) { return d.resource == name; });
    if (found != differences_.end()) {
      out << "<failure message=\"differs from the API server\">"
          << escaped(found->what + found->request) << "</failure>";
    }
    out << "</testcase>\n";
  }
  out << "</testsuite></testsuites>\n";
}

}  // namespace pgc::agreement
