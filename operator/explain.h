// What is believed of one cluster and why it was last worked on, as JSON for people. Pure. Names,
// versions and states only: no content of any object.
#pragma once

#include <set>
#include <string>

#include "operator/diary.h"
#include "operator/schedule.h"
#include "shared/reconcile/plan.h"

namespace pgc {

struct Belief {
  ClusterKey key;
  reconcile::Observed observed;
  reconcile::Plan next;  // what a turn would do now
  std::string broken;    // why no plan can be made; empty: one can
  Schedule::State queue;
  Diary::Page diary;
};

// `now` as the queue has it.
std::string explained(const Belief& belief, Schedule::TimePoint now);

}  // namespace pgc
