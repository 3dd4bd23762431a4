// A random order of everything that can happen to a cluster and its operator, as a list of steps:
// the same steps do the same again, and fewer of them can be tried where they fail.
#pragma once

#include <string>
#include <vector>

#include "tests/support/faulty_client.h"

namespace pgc::faults {

enum class Happening {
  kTurn,  // the operator has a turn that sees everything
  kMove,  // one of the others does one thing
  kScale,
  kChangeSpec,
  kKill,  // a pod
  kSicken,
  kFailOver,
  kDeleteChild,
  kDeface,  // somebody writes into a child of ours
  kHold,    // a child is deleted, and a finalizer of somebody else holds it
  kRelease,
  kFaultyTurn,  // a turn in which calls fail, answers are lost, or the operator dies
  kRestart,
  kBlindTurn,    // a turn that sees only what it had seen before
  kSeeMore,      // of one type an event more, ahead of the others
  kGoBack,       // everything is seen as it was, and a turn follows
  kInterrupted,  // in the middle of a turn somebody else does something
  kAnotherTurn,  // another operator that believes to lead has a turn, or one amid ours
  kRemove,       // the cluster is deleted
  kCreateAgain,  // under its old name
};

struct Event {
  Happening what = Happening::kTurn;
  unsigned choice = 0;
};

struct Schedule {
  unsigned seed = 0;
  std::string spec;
  std::vector<Event> events;

  std::string to_string() const;
};

Schedule schedule_of(unsigned seed);

struct Verdict {
  std::vector<std::string> wrong;  // empty: all is well
  std::string story;
  long checks = 0;
};

// `resyncs`: turns at the end in which nothing may be written.
Verdict play(const Schedule& schedule, int resyncs);

// The shortest schedule found that still fails.
Schedule shrink(const Schedule& schedule, int resyncs);

}  // namespace pgc::faults
