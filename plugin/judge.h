// Judges manifests without a cluster: PostgresCluster by its rules, other kinds by their CRDs.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "plugin/manifests.h"
#include "shared/schema/structural/crd.h"

namespace pgc::plugin {

enum class Verdict { kValid, kInvalid, kSkipped };

struct Finding {
  int line = 0;
  std::string field;    // empty: the object as a whole
  std::string reason;   // of a StatusCause, such as FieldValueInvalid; UnknownField, DuplicateField
  std::string message;  // without the field
};

struct Judgement {
  Verdict verdict = Verdict::kValid;
  std::string file;
  int line = 0;
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::vector<Finding> errors;
  std::vector<Finding> warnings;
  std::size_t unchecked_rules = 0;  // CEL rules of a CRD, which only an API server runs
};

// Not safe for several threads while CRDs or old objects are added.
class Judge {
 public:
  Judge();

  // Takes the kinds of these CRDs as well. The error says which document is none, and why.
  std::expected<void, Unreadable> add_crds(const std::vector<Manifest>& manifests);
  // The objects as they are stored: what is judged is then a change of them.
  void add_old(const std::vector<Manifest>& manifests);

  Judgement judge(const Manifest& manifest) const;

 private:
  const schema::Json* old_of(const Judgement& judgement) const;
  void judge_by(const schema::Crd& crd, const Manifest& manifest, Judgement& judgement) const;

  std::map<std::string, schema::Crd> crds_;       // by "Kind.group"
  std::multimap<std::string, schema::Json> old_;  // by kind, group and name
};

}  // namespace pgc::plugin
