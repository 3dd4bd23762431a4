// spec.deletionProtection, held by the API server alone: no webhook runs here.
#include <catch2/catch_test_macros.hpp>

#include "tests/apiserver/webhook_support.h"

namespace pgc::webhook::testing {
namespace {

constexpr const char* kNamespace = "pgc-deletion-test";
constexpr kube::ResourceType kPolicies{"admissionregistration.k8s.io", "v1",
                                       "validatingadmissionpolicies", "ValidatingAdmissionPolicy",
                                       false};
constexpr kube::ResourceType kBindings{"admissionregistration.k8s.io", "v1",
                                       "validatingadmissionpolicybindings",
                                       "ValidatingAdmissionPolicyBinding", false};

class Protection {
 public:
  Protection() {
    install_crd(*client);
    (void)client->create(kNamespaces, "", kube::Object(Json{{"metadata", {{"name", kNamespace}}}}),
                         {});
    for (const Json& document : documents_of("manifests/admission/deletion-protection.yaml")) {
      const bool policy = document.at("kind") == kPolicies.kind;
      kube::WriteOptions options;
      options.field_manager = "pgc-apiserver-tests";
      options.force = true;
      const auto applied =
          client->patch({policy ? kPolicies : kBindings, "", document.at("metadata").at("name")},
                        kube::PatchType::kApply, document, options);
      if (!applied) FAIL(applied.error().message);
    }
    wait_until_held();
  }
  ~Protection() {
    for (const auto& type : {kBindings, kPolicies}) {
      (void)client->remove({type, "", "pgc-deletion-protection"}, {});
    }
  }

  static kube::ObjectRef ref(const std::string& name) {
    return {kube::kPostgresClusters, kNamespace, name};
  }
  bool create(const std::string& name, const Json& protection) {
    Json spec = {{"version", "16"}};
    if (!protection.is_null()) spec["deletionProtection"] = protection;
    return client
        ->create(kube::kPostgresClusters, kNamespace,
                 kube::Object(Json{{"apiVersion", "db.example.com/v1"},
                                   {"kind", "PostgresCluster"},
                                   {"metadata", {{"name", name}}},
                                   {"spec", spec}}),
                 {})
        .has_value();
  }
  bool change(const std::string& name, const Json& merge) {
    return client->patch(ref(name), kube::PatchType::kMerge, merge, {}).has_value();
  }
  bool is_there(const std::string& name) { return client->get(ref(name)).has_value(); }

  const std::unique_ptr<kube::Client> client = connect(cluster_config());

 private:
  // A policy reaches the API server's admission a moment after it is stored.
  void wait_until_held() {
    REQUIRE(eventually([&] {
      (void)create("probe", true);
      return !client->remove(ref("probe"), {}).has_value();
    }));
    REQUIRE(change("probe", {{"spec", {{"deletionProtection", false}}}}));
    REQUIRE(client->remove(ref("probe"), {}).has_value());
  }
};

TEST_CASE("a protected cluster cannot be deleted until its protection is taken away", "[webhook]") {
  Protection protection;
  kube::Client& client = *protection.client;
  REQUIRE(protection.create("kept", true));
  REQUIRE(protection.create("loose", false));
  REQUIRE(protection.create("silent", nullptr));

  SECTION("by name") {
    const auto refused = client.remove(Protection::ref("kept"), {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == 403);
    CHECK(refused.error().message.find("is protected from deletion (spec.deletionProtection)") !=
          std::string::npos);
    CHECK(
        refused.error().message.find(
            "kubectl -n pgc-deletion-test patch postgresclusters.db.example.com kept --type=merge "
            "--patch='{\"spec\":{\"deletionProtection\":false}}'") != std::string::npos);
    CHECK(protection.is_there("kept"));
    CHECK_FALSE(client.get(Protection::ref("kept"))->being_deleted());
    CHECK(client.remove(Protection::ref("loose"), {}).has_value());
    CHECK(client.remove(Protection::ref("silent"), {}).has_value());
  }
  SECTION("all at once") {
    // deletecollection: the path of all of them
    const auto refused = client.remove(Protection::ref(""), {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == 403);
    CHECK(refused.error().message.find("\"kept\" is protected") != std::string::npos);
    CHECK(protection.is_there("kept"));
  }
  SECTION("what is on its way out when the protection comes goes all the same") {
    REQUIRE(protection.change("loose", {{"metadata", {{"finalizers", {"db.example.com/x"}}}}}));
    REQUIRE(client.remove(Protection::ref("loose"), {}).has_value());
    REQUIRE(protection.change("loose", {{"spec", {{"deletionProtection", true}}}}));
    CHECK(client.remove(Protection::ref("loose"), {}).has_value());
    REQUIRE(protection.change("loose", {{"metadata", {{"finalizers", nullptr}}}}));
    CHECK_FALSE(protection.is_there("loose"));
  }

  CHECK(protection.change("kept", {{"spec", {{"deletionProtection", false}}}}));
  for (const char* name : {"kept", "loose", "silent"}) {
    (void)client.remove(Protection::ref(name), {});
    CHECK_FALSE(protection.is_there(name));
  }
}

}  // namespace
}  // namespace pgc::webhook::testing
