// Single parameters of which more is known than their type and range.
#pragma once

#include <string>

#include "shared/schema/rules/concerns.h"

namespace pgc::schema {

// Why a check hook of PostgreSQL refuses a value within the range; empty if none does.
std::string reason_of_hook(const Parameter& parameter, double value);
// Why pgc needs another value; empty if it does not.
std::string reason_of_operator(const GivenParameter& given);
// Warnings about values that are legal and seldom wanted.
void advise(const GivenParameter& given, Verdict& verdict);

}  // namespace pgc::schema
