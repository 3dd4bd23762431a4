#include "shared/reconcile/action.h"

namespace pgc::reconcile {
namespace {

std::string text(const Apply& a) {
  return (a.uid.empty() ? "create " : "apply ") + a.ref.to_string();
}
std::string text(const GeneratePassword& a) {
  return "generate password " + a.secret.to_string();
}
std::string text(const GenerateAuthority& a) {
  return "generate certificate authority " + a.secret.to_string();
}
std::string text(const GenerateServerCertificate& a) {
  return "generate server certificate " + a.secret.to_string();
}
std::string text(const Patch& a) {
  return "patch " + a.ref.to_string() + ": " + a.why;
}
std::string text(const Delete& a) {
  return "delete " + a.ref.to_string() + ": " + a.why;
}

}  // namespace

std::string describe(const Action& action) {
  return std::visit([](const auto& a) { return text(a); }, action);
}

}  // namespace pgc::reconcile
