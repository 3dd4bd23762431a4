// Nobody but the leader writes. Who was stopped, suspended or cut off for longer than its lease may
// wake up in the middle of a turn and still believe to lead; the fence looks at the clock before
// each write.
//
// A write that was begun in time and arrives late does no harm: what changes or deletes an existing
// object carries its UID or resourceVersion.
#pragma once

#include <atomic>
#include <cstdint>

#include "operator/boot_clock.h"
#include "shared/kube/forwarding_client.h"

namespace pgc {

// Safe from several threads.
class Fence {
 public:
  // Writes may begin before `deadline`. At first none may.
  void open_until(BootClock::time_point deadline) { deadline_ = deadline.time_since_epoch(); }
  void close() { deadline_ = BootClock::duration::zero(); }
  bool open(BootClock::time_point now) const { return now.time_since_epoch() < deadline_.load(); }

  // Writes that came too late.
  std::uint64_t refused() const { return refused_; }
  void count_refused() { ++refused_; }

 private:
  std::atomic<BootClock::duration> deadline_{BootClock::duration::zero()};
  std::atomic<std::uint64_t> refused_{0};
};

// Another client, behind the fence. Reads and watches go through at any time.
class FencedClient final : public kube::ForwardingClient {
 public:
  // Both must outlive it.
  FencedClient(kube::Client& client, Fence& fence) : ForwardingClient(client), fence_(fence) {}

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

 private:
  kube::Result<void> admitted();

  Fence& fence_;
};

}  // namespace pgc
