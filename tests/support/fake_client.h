// A client that answers from a script and writes down what it is asked: for tests of the text that
// people see. What the API server really does is proven in tests/apiserver.
#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shared/kube/client.h"

namespace pgc::test {

struct RecordedPatch {
  kube::ObjectRef ref;
  kube::PatchType type;
  kube::Json body;
  kube::WriteOptions options;
};

class FakeClient : public kube::Client {
 public:
  // One answer to each get; the last one stays.
  std::deque<kube::Result<kube::Object>> gets;
  kube::Result<kube::Object> patch_answer = kube::Object();
  kube::Result<kube::ObjectList> list_answer = kube::ObjectList{};

  kube::Result<kube::Table> table_answer = kube::Table{};

  std::vector<kube::ObjectRef> got;
  std::vector<kube::ListOptions> listed;
  std::vector<RecordedPatch> patches;

  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override {
    got.push_back(ref);
    if (gets.empty()) return std::unexpected(unexpected_call("get"));
    auto answer = gets.front();
    if (gets.size() > 1) gets.pop_front();
    return answer;
  }

  kube::Result<kube::ObjectList> list(const kube::ResourceType&,
                                      const kube::ListOptions& options) override {
    listed.push_back(options);
    return list_answer;
  }

  kube::Result<kube::Object> patch(const kube::ObjectRef& ref, kube::PatchType type,
                                   const kube::Json& body,
                                   const kube::WriteOptions& options) override {
    patches.push_back({ref, type, body, options});
    return patch_answer;
  }

  kube::Result<kube::Table> table(const kube::ResourceType&,
                                  const kube::ListOptions& options) override {
    listed.push_back(options);
    return table_answer;
  }

  kube::Result<kube::Table> table(const kube::ObjectRef& ref) override {
    got.push_back(ref);
    return table_answer;
  }

  kube::Result<kube::Object> create(const kube::ResourceType&, const std::string&,
                                    const kube::Object&, const kube::WriteOptions&) override {
    return std::unexpected(unexpected_call("create"));
  }

  kube::Result<kube::Object> replace(const kube::ObjectRef&, const kube::Object&,
                                     const kube::WriteOptions&) override {
    return std::unexpected(unexpected_call("replace"));
  }

  kube::Result<void> remove(const kube::ObjectRef&, const kube::Preconditions&) override {
    return std::unexpected(unexpected_call("remove"));
  }

  kube::Result<void> watch(const kube::ResourceType&, const kube::ListOptions&, const std::string&,
                           const std::function<void(const kube::WatchEvent&)>&,
                           std::stop_token) override {
    return std::unexpected(unexpected_call("watch"));
  }

 private:
  static kube::Error unexpected_call(const std::string& what) {
    kube::Error error;
    error.message = "the test did not expect a " + what;
    return error;
  }
};

}  // namespace pgc::test
