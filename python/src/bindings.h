// The functions that define the module plr._core.
//
// NB_MODULE (module.cc) calls each once, in this order: later functions use the types of earlier
// ones.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "plr/base/random.h"
#include "plr/core/curriculum.h"
#include "plr/core/level.h"

namespace plr::python {

namespace nb = nanobind;

void bind_levels(nb::module_& module);
void bind_curricula(nb::module_& module);
void bind_scorer(nb::module_& module);
void bind_rollout_curricula(nb::module_& module);
void bind_environments(nb::module_& module);
void bind_plugins(nb::module_& module);

// The type of arguments that levels_from() converts, for signatures.
inline constexpr const char* kLevelsType =
    "int | range | LevelSet | collections.abc.Sequence[int] | numpy.typing.NDArray[typing.Any]";

// Converts a LevelSet, a number n for 0..n-1, a range, or ids to a LevelSet. Throws
// std::invalid_argument or raises TypeError for anything else.
LevelSet levels_from(nb::handle levels);

// The random stream of the trainer's level draws: the same seed gives the same draws.
Random stream_of(nb::handle seed);

// Columns level, probability, score, staleness and is_scored.
nb::dict weight_table(const std::vector<LevelWeight>& weights);

}  // namespace plr::python
