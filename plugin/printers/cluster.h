// One PostgresCluster as a page of text, in the manner of `kubectl describe`.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "plugin/printers/text.h"
#include "shared/kube/object.h"

namespace pgc::plugin {

// Says what it is not told: a cluster without a status has not been looked at by an operator yet.
class ClusterPrinter {
 public:
  ClusterPrinter(std::ostream& out, Palette palette, std::chrono::system_clock::time_point now)
      : out_(out), palette_(palette), now_(now) {}

  void print(const kube::Object& cluster) const;
  // The newest ten, newest last.
  void print_events(const std::vector<kube::Object>& events) const;
  void print_no_events(const std::string& why) const;

 private:
  void print_summary(const kube::Object& cluster) const;
  void print_connection(const kube::Object& cluster) const;
  void print_instances(const kube::Object& cluster) const;
  void print_pending(const kube::Object& cluster) const;
  void print_conditions(const kube::Object& cluster) const;

  void line(const std::string& label, const std::string& text) const;
  void heading(const std::string& text) const;
  std::string status_text(const kube::Object& cluster) const;

  std::ostream& out_;
  Palette palette_;
  std::chrono::system_clock::time_point now_;
};

}  // namespace pgc::plugin
