#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/reconcile/names.h"
#include "tests/support/drawing.h"

namespace pgc::reconcile {
namespace {

using kube::Json;
using kube::Object;
using test::drawn;
using test::lines;
using test::plan_of;
using Texts = std::vector<std::string>;

const std::string kThree = "{version: '16', replicas: 3}";

// The StatefulSets and pods as plans made them; those pods that are named were made before that, of
// another template.
Observed settled(const std::string& drawing, const std::vector<std::string>& older) {
  Observed observed = drawn(kThree, drawing);
  const Plan plan = plan_of(observed);
  for (int number = 1; number <= 3; ++number) {
    const std::string instance = "my-db-" + std::to_string(number);
    Object& set = observed.objects.at({kube::kStatefulSets, "shop", instance});
    Json document = test::applied(plan, kube::kStatefulSets, instance)->json();
    document["metadata"]["uid"] = set.uid();
    set = Object(document);
    const bool old = std::ranges::find(older, instance) != older.end();
    Object& pod = observed.objects.at({kube::kPods, "shop", instance + "-0"});
    Json changed = pod.json();
    changed["metadata"]["annotations"][std::string(kTemplateAnnotation)] =
        old ? Json("0123456789abcdef")
            : document["spec"]["template"]["metadata"]["annotations"][kTemplateAnnotation];
    changed["metadata"]["resourceVersion"] = "77";
    pod = Object(changed);
  }
  return observed;
}

// The pods that the plan deletes.
Texts replaced(const std::string& drawing, const std::vector<std::string>& older) {
  const Plan plan = plan_of(settled(drawing, older));
  Texts names;
  for (const Action& action : plan.actions) {
    const auto* removal = std::get_if<Delete>(&action);
    if (removal == nullptr) continue;
    CHECK(removal->ref.type == kube::kPods);
    CHECK(removal->uid == "uid-" + removal->ref.name);
    CHECK(removal->resource_version == "77");  // or it may run by now
    names.push_back(removal->ref.name);
  }
  return names;
}

TEST_CASE("a pod that cannot run is replaced once its template is another one") {
  const std::string drawing = R"(
    my-db-1  primary  running    leader
    my-db-2  -        -          unschedulable
    my-db-3  -        -          waiting=ImagePullBackOff)";
  CHECK(replaced(drawing, {"my-db-1", "my-db-2", "my-db-3"}) == Texts{"my-db-2-0", "my-db-3-0"});
  CHECK(replaced(drawing, {"my-db-3"}) == Texts{"my-db-3-0"});
  CHECK(replaced(drawing, {}).empty());  // another one would fare no better
}

TEST_CASE("what runs, starts or is about to go is left alone") {
  CHECK(replaced(R"(
    my-db-1  primary  running    leader
    my-db-2  replica  starting   not-ready
    my-db-3  -        -          waiting=ContainerCreating)",
                 {"my-db-1", "my-db-2", "my-db-3"})
            .empty());
  CHECK(replaced(R"(
    my-db-1  primary  running    leader
    my-db-2  replica  streaming
    my-db-3  -        -          unschedulable terminating)",
                 {"my-db-3"})
            .empty());
}

TEST_CASE("the leader's pod is replaced last") {
  const std::string drawing = R"(
    my-db-1  primary  running    leader waiting=CrashLoopBackOff
    my-db-2  replica  streaming
    my-db-3  -        -          waiting=CrashLoopBackOff)";
  CHECK(replaced(drawing, {"my-db-1", "my-db-3"}) == Texts{"my-db-3-0"});
  CHECK(replaced(drawing, {"my-db-1"}) == Texts{"my-db-1-0"});
}

TEST_CASE("a pod is not replaced before its StatefulSet is mended") {
  Observed observed = settled(
      "my-db-1 primary running leader\nmy-db-2 replica streaming\n"
      "my-db-3 - - unschedulable",
      {});
  Json resource = observed.resource.json();
  resource["spec"]["resources"] = {{"requests", {{"cpu", "1"}}}};
  observed.resource = Object(resource);
  observed.cluster = *schema::parse_postgres_cluster(resource);
  const Plan plan = plan_of(observed);
  CHECK(lines(plan, "apply statefulsets.apps shop/").size() == 3);
  CHECK(lines(plan, "delete pods").empty());
}

}  // namespace
}  // namespace pgc::reconcile
