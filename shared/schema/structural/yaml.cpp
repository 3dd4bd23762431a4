#include "shared/schema/structural/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

#include "shared/schema/structural/field_path.h"
#include "shared/schema/structural/node.h"
#include "shared/schema/structural/utf8.h"
#include "shared/schema/structural/validate.h"
#include "shared/schema/structural/yaml_scalar.h"

namespace pgc::schema {
namespace {

int line_of(const YAML::Mark& mark) {
  return mark.line + 1;
}

YamlError at(const YAML::Node& node, std::string message) {
  return {line_of(node.Mark()), std::move(message)};
}

// yaml-cpp writes one byte, not UTF-8, for the escapes that YAML has for U+0085 and U+00A0.
const std::string& text_of(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (is_utf8(text)) return text;
  throw at(node, "the escapes \\N and \\_ are not known; write \\u0085 and \\u00a0");
}

// Turns one document into JSON; throws YamlError.
class Converter {
 public:
  explicit Converter(int begin) : lines(begin) {}

  Json convert(const YAML::Node& node, const FieldPath& path, int depth = 0) {
    if (++nodes_ > kMaxYamlNodes) throw at(node, "holds too many values, aliases expanded");
    if (depth > kMaxDepth) {
      throw at(node, "must not be nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        return scalar(node);
      case YAML::NodeType::Sequence:
        return sequence(node, path, depth);
      case YAML::NodeType::Map:
        return map(node, path, depth);
      default:
        return nullptr;
    }
  }

  std::vector<DuplicateField> duplicates;
  YamlLines lines;

 private:
  static Json scalar(const YAML::Node& node) {
    const std::string& tag = node.Tag();
    // yaml-cpp's "!" is a quoted scalar, "?" a plain one.
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return text_of(node);
    const bool plain = tag == "?" || tag.empty() || tag.starts_with("tag:yaml.org,2002:");
    if (!plain) throw at(node, "the tag " + tag + " is not known");
    auto value = resolve_scalar(text_of(node));
    if (!value) throw at(node, node.Scalar() + " is not a number that JSON can hold");
    return *std::move(value);
  }

  Json sequence(const YAML::Node& node, const FieldPath& path, int depth) {
    Json list = Json::array();
    for (const YAML::Node& item : node) {
      const FieldPath here = path.index(list.size());
      lines.set(here.to_string(), line_of(item.Mark()));
      list.push_back(convert(item, here, depth + 1));
    }
    return list;
  }

  Json map(const YAML::Node& node, const FieldPath& path, int depth) {
    Json object = Json::object();
    Json merged = Json::object();
    for (const auto& entry : node) {
      if (is_merge(entry.first)) {
        merge(convert(entry.second, path, depth + 1), entry.second, merged);
        continue;
      }
      const std::string key = key_text(entry.first);
      const FieldPath here = path.child(key);
      const int line = line_of(entry.first.Mark());
      if (object.contains(key)) duplicates.push_back({line, here.to_string()});
      lines.set(here.to_string(), line);
      object[key] = convert(entry.second, here, depth + 1);
    }
    for (auto& [key, value] : merged.items()) {
      if (!object.contains(key)) object[key] = value;
    }
    return object;
  }

  static bool is_merge(const YAML::Node& key) {
    return key.IsScalar() && key.Tag() == "?" && key.Scalar() == "<<";
  }

  static void merge(const Json& value, const YAML::Node& where, Json& merged) {
    if (value.is_array()) {
      for (const Json& part : value) merge(part, where, merged);
      return;
    }
    if (!value.is_object()) throw at(where, "<< must be followed by a map or a list of maps");
    for (const auto& [key, field] : value.items()) {
      if (!merged.contains(key)) merged[key] = field;
    }
  }

  // Keys that are numbers or booleans become strings, as in kubectl.
  static std::string key_text(const YAML::Node& key) {
    if (!key.IsScalar()) throw at(key, "a key must be a string");
    const Json value = scalar(key);
    return value.is_string() ? value.get<std::string>() : value.dump();
  }

  std::size_t nodes_ = 0;
};

// Sees whether each document begins behind the one before. yaml-cpp does not take a comma or a
// bracket where a document should begin for an error: it reads an empty document there, for ever.
class Progress final : public YAML::EventHandler {
 public:
  static void check(const std::string& text) {
    std::istringstream input(text);
    YAML::Parser parser(input);
    Progress progress;
    while (parser.HandleNextDocument(progress)) {
    }
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == begin_) throw YamlError{line_of(mark), "expected the beginning of a document"};
    begin_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int begin_ = -1;
};

std::vector<YamlDocument> convert_all(const std::string& text) {
  Progress::check(text);
  std::vector<YamlDocument> documents;
  for (const YAML::Node& node : YAML::LoadAll(text)) {
    Converter converter(line_of(node.Mark()));
    Json value = converter.convert(node, FieldPath());
    if (value.is_null()) continue;
    documents.push_back(
        {std::move(value), std::move(converter.lines), std::move(converter.duplicates)});
  }
  return documents;
}

// JSON that is no YAML 1.2 to yaml-cpp: tabs for indentation, escapes in surrogate pairs.
std::expected<std::vector<YamlDocument>, YamlError> parse_json(const std::string& text,
                                                               const YamlError& otherwise) {
  if (!text.starts_with('{')) return std::unexpected(otherwise);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded() || deeper_than(value, kMaxDepth)) return std::unexpected(otherwise);
  return std::vector<YamlDocument>{{std::move(value), YamlLines(), {}}};
}

// `spec.list[0].name` without its last step; nothing left: empty.
std::string_view around(std::string_view field) {
  const std::size_t end = field.find_last_of(".[");
  return end == std::string_view::npos ? std::string_view() : field.substr(0, end);
}

}  // namespace

int YamlLines::of(std::string_view field) const {
  for (; !field.empty(); field = around(field)) {
    if (const auto found = lines_.find(std::string(field)); found != lines_.end()) {
      return found->second;
    }
    if (!field.ends_with(']')) continue;
    // The key of a map, which stands here as a field: labels[tier] is labels.tier.
    const std::size_t open = field.rfind('[');
    std::string as_field(field.substr(0, open));
    as_field += "." + std::string(field.substr(open + 1, field.size() - open - 2));
    if (const auto found = lines_.find(as_field); found != lines_.end()) return found->second;
  }
  return begin_;
}

std::expected<std::vector<YamlDocument>, YamlError> parse_yaml(std::string_view text) {
  if (text.size() > kMaxYamlBytes) {
    return std::unexpected(
        YamlError{0, "is larger than " + std::to_string(kMaxYamlBytes) + " bytes"});
  }
  const std::string copy(text);
  if (!is_utf8(copy)) return std::unexpected(YamlError{0, "is not UTF-8 text"});
  try {
    return convert_all(copy);
  } catch (const YamlError& error) {
    return std::unexpected(error);
  } catch (const YAML::Exception& error) {
    return parse_json(copy, {line_of(error.mark), error.msg});
  }
}

}  // namespace pgc::schema
