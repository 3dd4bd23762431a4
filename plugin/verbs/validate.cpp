#include "plugin/verbs/validate.h"

#include <memory>

#include "plugin/judge.h"
#include "plugin/manifests.h"
#include "plugin/printers/judgement.h"

namespace pgc::plugin {
namespace {

std::unique_ptr<JudgementPrinter> printer_for(const ValidateOptions& options,
                                              const Streams& streams) {
  if (options.json) return std::make_unique<JsonJudgementPrinter>(streams.out);
  return std::make_unique<TextJudgementPrinter>(streams, Palette(options.colour));
}

class Validation {
 public:
  Validation(const ValidateOptions& options, const Streams& streams)
      : options_(options), streams_(streams), printer_(printer_for(options, streams)) {}

  ValidateResult run() {
    const bool prepared = add_crds() && add_old();
    if (prepared) {
      for (const std::string& name : options_.files) judge_all(name);
    }
    printer_->finish(tally_);
    if (tally_.unreadable > 0) return ValidateResult::kUnreadable;
    return tally_.invalid > 0 ? ValidateResult::kInvalid : ValidateResult::kValid;
  }

 private:
  // Without the CRDs or the old objects there is no verdict at all, so the first problem ends it.
  bool add_crds() {
    return for_each_file(options_.crds, [&](const std::vector<Manifest>& manifests) {
      const auto added = judge_.add_crds(manifests);
      if (!added) unreadable(added.error());
      return added.has_value();
    });
  }

  bool add_old() {
    return for_each_file(options_.against, [&](const std::vector<Manifest>& manifests) {
      judge_.add_old(manifests);
      return true;
    });
  }

  template <typename Take>
  bool for_each_file(const std::vector<std::string>& names, const Take& take) {
    for (const std::string& name : names) {
      for (const std::string& file : files(name)) {
        const auto manifests = read(file);
        if (!manifests || !take(*manifests)) return false;
      }
    }
    return tally_.unreadable == 0;
  }

  void judge_all(const std::string& name) {
    for (const std::string& file : files(name)) {
      const auto manifests = read(file);
      if (!manifests) continue;
      for (const Manifest& manifest : *manifests) {
        const Judgement judgement = judge_.judge(manifest);
        tally_.count(judgement.verdict);
        printer_->print(judgement);
      }
    }
  }

  std::vector<std::string> files(const std::string& name) {
    auto found = files_behind(name, {.recursive = options_.recursive});
    if (!found) unreadable(found.error());
    return found ? *std::move(found) : std::vector<std::string>();
  }

  ManifestsOr read(const std::string& file) {
    auto manifests = read_manifests(file, streams_.in);
    if (!manifests) unreadable(manifests.error());
    return manifests;
  }

  void unreadable(const Unreadable& file) {
    ++tally_.unreadable;
    printer_->print(file);
  }

  const ValidateOptions& options_;
  const Streams& streams_;
  std::unique_ptr<JudgementPrinter> printer_;
  Judge judge_;
  Tally tally_;
};

}  // namespace

ValidateResult validate(const ValidateOptions& options, const Streams& streams) {
  return Validation(options, streams).run();
}

}  // namespace pgc::plugin
