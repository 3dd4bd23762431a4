#include "agent/publish.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace pgc::agent {
namespace {

using kube::Error;
using kube::Json;
using kube::Object;
using kube::ObjectRef;
using kube::Result;
using kube::WriteOptions;

// Records patches; everything else is not expected of the agent.
class PatchRecorder final : public kube::Writer {
 public:
  Result<Object> create(const kube::ResourceType&, const std::string&, const Object&,
                        const WriteOptions&) override {
    return unexpected_call();
  }
  Result<Object> replace(const ObjectRef&, const Object&, const WriteOptions&) override {
    return unexpected_call();
  }
  Result<void> remove(const ObjectRef&, const kube::Preconditions&) override {
    return std::unexpected(unexpected_call().error());
  }
  Result<Object> patch(const ObjectRef& ref, kube::PatchType, const Json& body,
                       const WriteOptions&) override {
    refs.push_back(ref);
    bodies.push_back(body);
    if (fails) return std::unexpected(Error{.kind = kube::ErrorKind::kForbidden, .message = "no"});
    return Object(body);
  }

  bool fails = false;
  std::vector<ObjectRef> refs;
  std::vector<Json> bodies;

 private:
  static Result<Object> unexpected_call() {
    FAIL("the agent only patches");
    return std::unexpected(Error{});
  }
};

const Report kReport{.data = Volume{1, 2}, .wal = {}, .secrets = {}};

TEST_CASE("the report becomes an annotation of the agent's own pod, once") {
  PatchRecorder writer;
  Publisher publisher(writer, "shop", "my-db-1-0");
  CHECK(publisher.publish(kReport) == true);
  CHECK(publisher.publish(kReport) == false);
  REQUIRE(writer.bodies.size() == 1);
  CHECK(writer.refs[0] == ObjectRef{kube::kPods, "shop", "my-db-1-0"});
  CHECK(writer.bodies[0].dump() == R"({"metadata":{"annotations":{"db.example.com/report":)"
                                   R"("{\"data\":{\"freeBytes\":1,\"totalBytes\":2}}"}}})");
}

TEST_CASE("a report that could not be written is written next time") {
  PatchRecorder writer;
  Publisher publisher(writer, "shop", "my-db-1-0");
  writer.fails = true;
  CHECK_FALSE(publisher.publish(kReport).has_value());
  writer.fails = false;
  CHECK(publisher.publish(kReport) == true);
}

}  // namespace
}  // namespace pgc::agent
