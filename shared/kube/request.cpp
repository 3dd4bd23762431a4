#include "shared/kube/request.h"

#include <nlohmann/json.hpp>

#include "shared/kube/url.h"
#include "shared/x509/base64.h"

namespace pgc::kube {
namespace {

constexpr const char* kJson = "application/json";

std::string_view content_type(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "";
}

std::string resource_name(const ResourceType& type, const std::string& subresource = {}) {
  std::string name(type.plural);
  if (!type.group.empty()) name += "." + std::string(type.group);
  return subresource.empty() ? name : name + "/" + subresource;
}

ApiRequest on_type(std::string_view verb, std::string_view method, const ResourceType& type) {
  return {.verb = verb,
          .method = method,
          .resource = resource_name(type),
          .path = {},
          .limited = type != kLeases};
}

std::string selected(const ResourceType& type, const ListOptions& options, Query query) {
  query.emplace_back("labelSelector", options.label_selector);
  query.emplace_back("fieldSelector", options.field_selector);
  return collection_path(type, options.ns) + query_string(query);
}

std::string write_query(const WriteOptions& options) {
  return query_string({{"fieldManager", options.field_manager},
                       {"force", options.force ? "true" : ""},
                       {"dryRun", options.dry_run ? "All" : ""},
                       {"fieldValidation", options.field_validation}});
}

ApiRequest write(std::string_view verb, std::string_view method, const ObjectRef& ref,
                 const WriteOptions& options) {
  ApiRequest request = on_type(verb, method, ref.type);
  request.resource = resource_name(ref.type, options.subresource);
  request.path = object_path(ref, options.subresource) + write_query(options);
  return request;
}

void add_impersonation(Headers& headers, const Config& config) {
  if (!config.impersonate_user.empty()) {
    headers.emplace_back("Impersonate-User", config.impersonate_user);
  }
  if (!config.impersonate_uid.empty()) {
    headers.emplace_back("Impersonate-Uid", config.impersonate_uid);
  }
  for (const std::string& group : config.impersonate_groups) {
    headers.emplace_back("Impersonate-Group", group);
  }
  for (const auto& [key, value] : config.impersonate_extra) {
    headers.emplace_back("Impersonate-Extra-" + percent_encoded(key), value);
  }
}

}  // namespace

ApiRequest get_request(const ObjectRef& ref) {
  ApiRequest request = on_type("get", "GET", ref.type);
  request.path = object_path(ref);
  return request;
}

ApiRequest list_request(const ResourceType& type, const ListOptions& options, int limit,
                        const std::string& next) {
  ApiRequest request = on_type("list", "GET", type);
  request.path = selected(type, options,
                          {{"limit", limit == 0 ? "" : std::to_string(limit)}, {"continue", next}});
  return request;
}

ApiRequest watch_request(const ResourceType& type, const ListOptions& options,
                         const std::string& resource_version, std::chrono::seconds longest) {
  ApiRequest request = on_type("watch", "GET", type);
  request.limited = false;
  request.path = selected(type, options,
                          {{"watch", "1"},
                           {"allowWatchBookmarks", "true"},
                           {"timeoutSeconds", std::to_string(longest.count())},
                           {"resourceVersion", resource_version},
                           {"sendInitialEvents", options.initial_events ? "true" : ""},
                           {"resourceVersionMatch", options.initial_events ? "NotOlderThan" : ""}});
  return request;
}

ApiRequest create_request(const ResourceType& type, const std::string& ns, const Object& object,
                          const WriteOptions& options) {
  ApiRequest request = on_type("create", "POST", type);
  request.path = collection_path(type, ns) + write_query(options);
  request.content_type = kJson;
  request.body = object.json().dump();
  return request;
}

ApiRequest replace_request(const ObjectRef& ref, const Object& object,
                           const WriteOptions& options) {
  ApiRequest request = write("update", "PUT", ref, options);
  request.content_type = kJson;
  request.body = object.json().dump();
  return request;
}

ApiRequest patch_request(const ObjectRef& ref, PatchType type, const Json& body,
                         const WriteOptions& options) {
  ApiRequest request = write(type == PatchType::kApply ? "apply" : "patch", "PATCH", ref, options);
  request.content_type = content_type(type);
  request.body = body.dump();
  return request;
}

ApiRequest remove_request(const ObjectRef& ref, const Preconditions& preconditions) {
  Json body = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", "Background"}};
  if (!preconditions.uid.empty()) body["preconditions"]["uid"] = preconditions.uid;
  if (!preconditions.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = preconditions.resource_version;
  }
  ApiRequest request = write("delete", "DELETE", ref, {});
  request.content_type = kJson;
  request.body = body.dump();
  return request;
}

ApiRequest as_table(ApiRequest request) {
  request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  return request;
}

Headers identity_headers(const Config& config, const Credential& credential, bool tls) {
  Headers headers;
  if (tls && !credential.token.empty()) {
    headers.emplace_back("Authorization", "Bearer " + credential.token);
  } else if (tls && !config.username.empty()) {
    headers.emplace_back("Authorization",
                         "Basic " + x509::to_base64(config.username + ":" + config.password));
  }
  add_impersonation(headers, config);
  return headers;
}

}  // namespace pgc::kube
