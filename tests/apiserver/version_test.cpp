// A major that was set by mistake can be taken back and no other goes down: the CRD's rule on a
// real API server, and its twin, in the same words.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "shared/schema/rules/twins.h"
#include "tests/apiserver/webhook_support.h"

namespace pgc {
namespace {

using kube::Json;

const std::string kNs = "version-test";

class Cluster {
 public:
  explicit Cluster(const std::string& name) : ref_{kube::kPostgresClusters, kNs, name} {
    webhook::testing::install_crd(*client_);
    (void)client_->create(webhook::testing::kNamespaces, "",
                          kube::Object(Json{{"metadata", {{"name", kNs}}}}), {});
    (void)client_->remove(ref_, {});
    const Json document = {{"apiVersion", "db.example.com/v1"},
                           {"kind", "PostgresCluster"},
                           {"metadata", {{"name", name}, {"namespace", kNs}}},
                           {"spec", {{"version", "17"}}}};
    REQUIRE(client_->create(kube::kPostgresClusters, kNs, kube::Object(document), {}));
  }
  ~Cluster() { (void)client_->remove(ref_, {}); }

  void tell(const Json& status) {
    const auto told = client_->patch(ref_, kube::PatchType::kMerge, {{"status", status}},
                                     {.subresource = "status"});
    INFO((told ? "" : told.error().message));
    REQUIRE(told);
  }

  // What the API server says to spec.version 16; empty: it is taken. The twin must say the same.
  std::string down() {
    const Json old = client_->get(ref_)->json();
    Json wanted = old;
    wanted["spec"]["version"] = "16";
    const auto twins = schema::check_twins(wanted, &old);
    const auto changed =
        client_->patch(ref_, kube::PatchType::kMerge, {{"spec", {{"version", "16"}}}}, {});
    if (changed) {
      CHECK(twins.empty());
      return "";
    }
    REQUIRE(changed.error().causes.size() == 1);
    REQUIRE(twins.size() == 1);
    const kube::Cause& cause = changed.error().causes[0];
    CHECK(cause.field == twins[0].field);
    CHECK(cause.message.ends_with(twins[0].detail));
    return twins[0].detail;
  }

 private:
  const kube::ObjectRef ref_;
  std::unique_ptr<kube::Client> client_ =
      webhook::testing::connect(webhook::testing::cluster_config());
};

TEST_CASE("the API server lets a major be taken back that does not run", "[version]") {
  const std::string refused =
      "cannot go down from 17: PostgreSQL does not read the files of a newer major; keep version "
      "\"17\" or restore into a new cluster";
  SECTION("another one runs") {
    Cluster cluster("other");
    cluster.tell({{"version", "16"}, {"phase", "UpgradeNotAvailable"}});
    CHECK(cluster.down().empty());
  }
  SECTION("the operator has looked, and nothing runs") {
    Cluster cluster("nothing");
    cluster.tell({{"phase", "NotAvailable"}});
    CHECK(cluster.down().empty());
  }
  SECTION("it runs") {
    Cluster cluster("this");
    cluster.tell({{"version", "17"}});
    CHECK(cluster.down() == refused);
  }
  SECTION("nobody has looked yet") {
    Cluster cluster("unseen");
    CHECK(cluster.down() == refused);
  }
}

}  // namespace
}  // namespace pgc
