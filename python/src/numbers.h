// Numbers that Python passes to a function, with messages that name the argument.
//
//   const LevelId level = whole_from("level", value);   // TypeError, or std::invalid_argument
//   const double score = number_from("score", value);
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plr::python {

namespace nb = nanobind;

// "name"_arg is an argument for which None is passed on, so that its message names it, too.
inline auto operator""_arg(const char* name, std::size_t) { return nb::arg(name).none(); }

// An integer of any type from 0 to `last`. Raises TypeError for anything else than an integer and
// throws std::invalid_argument for one out of bounds.
std::uint64_t whole_from(std::string_view name, nb::handle value, std::uint64_t last = ~0ULL);

// A number of any type. Raises TypeError for anything else.
double number_from(std::string_view name, nb::handle value);

// The text of a str. Raises TypeError for anything else.
std::string_view text_from(std::string_view name, nb::handle value);

// Raises TypeError: "NAME must be WHAT, not TYPE".
[[noreturn]] void refuse_type(std::string_view name, std::string_view what, nb::handle value);

}  // namespace plr::python
