#include "plugin/printers/judgement.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace pgc::plugin {
namespace {

using Json = nlohmann::ordered_json;

std::string position(const std::string& file, int line) {
  return printable(file) + ":" + (line > 0 ? std::to_string(line) + ":" : "") + " ";
}

// `PostgresCluster "my-db"`, or what is there of it.
std::string title(const Judgement& judgement) {
  if (judgement.kind.empty()) return "an object without kind";
  return printable(judgement.kind) +
         (judgement.name.empty() ? "" : " \"" + printable(judgement.name) + "\"");
}

std::string text_of(const Finding& finding) {
  return (finding.field.empty() ? "" : printable(finding.field) + ": ") +
         printable(finding.message);
}

std::string counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

Json to_json(const Finding& finding) {
  Json json{{"line", finding.line}};
  if (!finding.field.empty()) json["field"] = finding.field;
  if (!finding.reason.empty()) json["reason"] = finding.reason;
  json["message"] = finding.message;
  return json;
}

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return "valid";
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kSkipped:
      return "skipped";
  }
  return "";
}

Json to_json(const Judgement& judgement) {
  Json json{{"file", judgement.file},
            {"line", judgement.line},
            {"apiVersion", judgement.api_version},
            {"kind", judgement.kind},
            {"namespace", judgement.ns},
            {"name", judgement.name},
            {"verdict", word(judgement.verdict)},
            {"errors", Json::array()},
            {"warnings", Json::array()}};
  for (const Finding& error : judgement.errors) json["errors"].push_back(to_json(error));
  for (const Finding& warning : judgement.warnings) json["warnings"].push_back(to_json(warning));
  if (judgement.unchecked_rules > 0) json["uncheckedRules"] = judgement.unchecked_rules;
  return json;
}

}  // namespace

void Tally::count(Verdict verdict) {
  if (verdict == Verdict::kValid) ++valid;
  if (verdict == Verdict::kInvalid) ++invalid;
  if (verdict == Verdict::kSkipped) ++skipped;
}

void TextJudgementPrinter::print(const Judgement& judgement) {
  const std::string about = title(judgement);
  const auto say = [&](const Finding& finding, const std::string& severity) {
    streams_.err << position(judgement.file, finding.line) << severity << ": " << about << ": "
                 << text_of(finding) << '\n';
  };
  for (const Finding& error : judgement.errors) say(error, palette_.bad("error"));
  for (const Finding& warning : judgement.warnings) say(warning, palette_.doubtful("warning"));
  if (judgement.verdict == Verdict::kValid) {
    streams_.out << position(judgement.file, judgement.line) << about << " is valid\n";
  }
  if (judgement.verdict == Verdict::kSkipped) {
    streams_.err << position(judgement.file, judgement.line) << about
                 << " passed over: --crd names no CustomResourceDefinition for it\n";
  }
  unchecked_rules_ = std::max(unchecked_rules_, judgement.unchecked_rules);
}

void TextJudgementPrinter::print(const Unreadable& file) {
  streams_.err << position(file.file, file.line) << palette_.bad("error") << ": "
               << printable(file.message) << '\n';
}

void TextJudgementPrinter::finish(const Tally& tally) {
  if (unchecked_rules_ > 0) {
    streams_.err << counted(unchecked_rules_, "CEL rule")
                 << " of a CustomResourceDefinition not checked: only an API server runs them\n";
  }
  if (tally.objects() + tally.unreadable == 1) return;
  streams_.err << counted(tally.objects(), "object") << ": " << tally.valid << " valid, "
               << tally.invalid << " invalid, " << tally.skipped << " passed over";
  if (tally.unreadable > 0)
    streams_.err << "; " << counted(tally.unreadable, "file") << " unreadable";
  streams_.err << '\n';
}

void JsonJudgementPrinter::finish(const Tally& tally) {
  Json document{{"objects", Json::array()},
                {"unreadable", Json::array()},
                {"summary",
                 {{"valid", tally.valid},
                  {"invalid", tally.invalid},
                  {"skipped", tally.skipped},
                  {"unreadable", tally.unreadable}}}};
  for (const Judgement& judgement : judgements_) document["objects"].push_back(to_json(judgement));
  for (const Unreadable& file : unreadable_) {
    document["unreadable"].push_back(
        {{"file", file.file}, {"line", file.line}, {"message", file.message}});
  }
  out_ << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace pgc::plugin
