// What a run found, collected from several threads.
#pragma once

#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "tests/agreement/requests.h"

namespace pgc::agreement {

struct Difference {
  std::string resource;
  std::string what;     // the lines of difference()
  std::string request;  // how to send it again
};

class Report {
 public:
  void count(const Resource& resource, const Made& made, const Verdict& server);
  void count_known(std::string_view name);
  void add(Difference difference);

  bool agrees() const { return differences_.empty(); }
  void print(std::ostream& out) const;
  // A test case for each resource.
  void write_junit(const std::string& path, double seconds) const;

 private:
  std::mutex mutex_;  // guards all below
  std::map<std::string, int> by_resource_;
  std::map<std::string, int> by_kind_;
  std::map<std::string, int> by_verdict_;
  std::map<std::string, int> by_operation_;
  std::map<std::string, int, std::less<>> known_;
  std::vector<Difference> differences_;
  int total_ = 0;
};

}  // namespace pgc::agreement
