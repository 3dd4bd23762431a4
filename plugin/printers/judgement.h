// Prints verdicts on manifests, for people and for programs.
#pragma once

#include <cstddef>
#include <vector>

#include "plugin/judge.h"
#include "plugin/printers/text.h"
#include "plugin/process.h"

namespace pgc::plugin {

// How many objects and files came out how.
struct Tally {
  std::size_t valid = 0;
  std::size_t invalid = 0;
  std::size_t skipped = 0;
  std::size_t unreadable = 0;

  void count(Verdict verdict);
  std::size_t objects() const { return valid + invalid + skipped; }
};

class JudgementPrinter {
 public:
  virtual ~JudgementPrinter() = default;
  virtual void print(const Judgement& judgement) = 0;
  virtual void print(const Unreadable& file) = 0;
  virtual void finish(const Tally& tally) = 0;
};

// A line a finding, `FILE:LINE: error: KIND "NAME": FIELD: MESSAGE`, as compilers have it, so that
// editors and CI find the place. What is valid goes to `out`, the rest to `err`.
class TextJudgementPrinter : public JudgementPrinter {
 public:
  TextJudgementPrinter(const Streams& streams, Palette palette)
      : streams_(streams), palette_(palette) {}
  void print(const Judgement& judgement) override;
  void print(const Unreadable& file) override;
  void finish(const Tally& tally) override;

 private:
  const Streams& streams_;
  Palette palette_;
  std::size_t unchecked_rules_ = 0;
};

// One JSON document at the end: {"objects": […], "unreadable": […], "summary": {…}}.
class JsonJudgementPrinter : public JudgementPrinter {
 public:
  explicit JsonJudgementPrinter(std::ostream& out) : out_(out) {}
  void print(const Judgement& judgement) override { judgements_.push_back(judgement); }
  void print(const Unreadable& file) override { unreadable_.push_back(file); }
  void finish(const Tally& tally) override;

 private:
  std::ostream& out_;
  std::vector<Judgement> judgements_;
  std::vector<Unreadable> unreadable_;
};

}  // namespace pgc::plugin
