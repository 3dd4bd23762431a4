// A quantity → its form in Kubernetes → the same quantity.
#include "shared/schema/quantity.h"
#include "tests/fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pgc::fuzz::must;
  using pgc::schema::Quantity;
  const std::string text(pgc::fuzz::as_text(data, size));
  const auto quantity = Quantity::parse(text);
  if (!quantity) {
    must(!quantity.error().empty(), "an error says what", text);
    return 0;
  }
  const std::string form = quantity->to_string();
  const auto again = Quantity::parse(form);
  must(again.has_value(), "the form is a quantity", text + " as " + form);
  // Ki and its kin are rounded to whole units when they are written, as in Kubernetes.
  const bool rounded = text.ends_with('i') && form.find('.') == std::string::npos;
  must(*again == *quantity || rounded, "the form is the same amount", text + " as " + form);
  // One that has lost its Ki on the way is a decimal from then on.
  must(again->to_string() == form || rounded, "the form is its own form", text + " as " + form);
  must(again->value() == quantity->value(), "and as many whole units", text + " as " + form);
  return 0;
}
