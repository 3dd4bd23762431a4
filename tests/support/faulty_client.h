// A client that forwards to another one and goes wrong on the way, by a plan: so that every way in
// which the API can fail, and every moment at which the program can die, can be had at will and had
// again.
//
// One thread. The plan can be printed, and the same plan does the same again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/kube/client.h"

namespace pgc::test {

enum class Effect {
  kDrop,             // never arrives: kUnreachable
  kTimeout,          // never arrives: kTimeout
  kLoseReply,        // is done, and the answer is lost: kTimeout
  kConflict,         // 409
  kTooManyRequests,  // 429 with Retry-After
  kUnavailable,      // 503
  kDieBefore,        // the program dies with the call unsent
  kDieAfter,         // the program dies with the call done
};

// Of the calls that fit, the `first`-th (from 1) and those after it, `times` in all.
struct Fault {
  Effect effect = Effect::kDrop;
  std::string verb = "write";  // get, list, create, replace, patch, delete; read, write; or ""
  std::string plural = "";     // "statefulsets"; empty: of any type
  int first = 1;
  int times = 1;

  std::string to_string() const;
};

std::string to_string(const std::vector<Fault>& plan);

// Thrown where the program dies. Nothing in the program catches it.
struct ProcessDeath {};

class FaultyClient final : public kube::Client {
 public:
  explicit FaultyClient(kube::Client& client) : client_(client) {}

  struct Call {
    std::string verb;
    kube::ObjectRef ref;
    const kube::Json* body = nullptr;  // of a write
    kube::PatchType patch = kube::PatchType::kMerge;
    const kube::WriteOptions* options = nullptr;
    const kube::Preconditions* preconditions = nullptr;
    bool writes() const { return verb != "get" && verb != "list"; }
  };

  // From now on these faults and no others; every count begins anew.
  void plan(std::vector<Fault> faults);
  int writes() const { return writes_; }  // begun since the plan was made
  int failed_reads() const { return failed_reads_; }

  // Asked before each call that is going to arrive; what others do at that moment happens in it.
  std::function<void(const Call&)> before;

  kube::Result<kube::Object> get(const kube::ObjectRef& ref) override;
  kube::Result<kube::ObjectList> list(const kube::ResourceType& type,
                                      const kube::ListOptions& options) override;
  kube::Result<kube::Object> create(const kube::ResourceType& type, const std::string& ns,
                                    const kube::Object& object,
                                    const kube::WriteOptions& options) override;
  kube::Result<kube::Object> replace(const kube::ObjectRef& ref, const kube::Object& object,
                                     const kube::WriteOptions& options) override;
  kube::Result<kube::Object> patch(const kube::ObjectRef& ref, kube::PatchType type,
                                   const kube::Json& body,
                                   const kube::WriteOptions& options) override;
  kube::Result<void> remove(const kube::ObjectRef& ref,
                            const kube::Preconditions& preconditions) override;
  kube::Result<void> watch(const kube::ResourceType& type, const kube::ListOptions& options,
                           const std::string& resource_version,
                           const std::function<void(const kube::WatchEvent&)>& deliver,
                           std::stop_token stop) override;

 private:
  struct Armed {
    Fault fault;
    int seen = 0;
  };

  template <typename Value, typename Forward>
  kube::Result<Value> pass(const Call& call, const Forward& forward);
  std::optional<Effect> effect_on(const Call& call);

  kube::Client& client_;
  std::vector<Armed> armed_;
  int writes_ = 0;
  int failed_reads_ = 0;
};

}  // namespace pgc::test
