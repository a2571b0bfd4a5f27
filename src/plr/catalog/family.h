// The families of environments (env/family.h), and the family of an environment.
//
//   const Family* family = find_family("procgen/bigfish");
//   if (family != nullptr && is_installed(*family)) ...
//
// The list grows when a plug-in is loaded (plugins.h); a list that was returned before stays valid
// and constant.  Thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plr/env/family.h"

namespace plr::catalog {

std::span<const Family> families();

// The family named before the slash of an environment's name, whether or not it has this
// environment; null if there is none.
const Family* find_family(std::string_view env);

// Whether the files that the family needs are there, so that its environments can be made.
bool is_installed(const Family& family);

// Family::short_name and Family::report_group, or what they are if these are null.
std::string short_name(const Family& family, std::string_view env);
std::string report_group(const Family& family, std::string_view env);

}  // namespace plr::catalog
