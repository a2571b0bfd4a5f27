// Bindings of LevelSet, and conversion of other Python objects to one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "numbers.h"
#include "plr/core/level.h"
#include "settings.h"
#include "states.h"

namespace plr::python {
namespace {

LevelSet from_range(nb::handle range) {
  if (nb::cast<std::int64_t>(range.attr("step")) != 1) {
    throw std::invalid_argument("levels: a range must have the step 1; use list(range(...))");
  }
  return LevelSet::range(whole_number("levels", range.attr("start")),
                         nb::len(nb::borrow<nb::object>(range)));
}

LevelSet from_ids(const char* name, nb::handle ids) {
  const Array<LevelId> array = take<LevelId>(name, ids, {kAny});
  return LevelSet::list({array.span().begin(), array.span().end()});
}

std::string text_of(const LevelSet& set) {
  if (!set.ids().empty()) return "LevelSet.list of " + std::to_string(set.size()) + " levels";
  return std::string("LevelSet.") + (set.is_stream() ? "stream(" : "range(") +
         std::to_string(set[0]) + ", " + std::to_string(set.size()) + ")";
}

// The pickled state of a set: first, count, whether it is a stream, and the ids of a list.
using State = std::tuple<LevelId, std::uint64_t, bool, std::vector<LevelId>>;

State state_of(const LevelSet& set) {
  return {set[0], set.size(), set.is_stream(), {set.ids().begin(), set.ids().end()}};
}

LevelSet set_of(State state) {
  auto [first, count, is_stream, ids] = std::move(state);
  if (!ids.empty()) return LevelSet::list(std::move(ids));
  return is_stream ? LevelSet::stream(first, count) : LevelSet::range(first, count);
}

}  // namespace

LevelSet levels_from(nb::handle levels) {
  if (nb::isinstance<LevelSet>(levels)) return nb::cast<LevelSet>(levels);
  if (PyRange_Check(levels.ptr())) return from_range(levels);
  if (PyIndex_Check(levels.ptr()) && !nb::hasattr(levels, "__len__")) {
    return LevelSet::range(0, whole_number("levels", levels));
  }
  return from_ids("levels", levels);
}

void bind_levels(nb::module_& module) {
  nb::class_<LevelSet>(
      module, "LevelSet",
      "The set of levels that may be drawn: a range, a list, or a stream of too many "
      "levels to store each.")
      .def_static(
          "range",
          [](nb::handle first, nb::handle count) {
            return LevelSet::range(whole_from("first", first), whole_from("count", count));
          },
          "first"_arg, "count"_arg, nb::sig("def range(first: int, count: int) -> LevelSet"),
          "The ids first..first+count-1, each stored.")
      .def_static(
          "list", [](nb::handle ids) { return from_ids("ids", ids); }, "ids"_arg,
          nb::sig("def list(ids: collections.abc.Sequence[int] | "
                  "numpy.typing.NDArray[typing.Any]) -> LevelSet"),
          "Exactly these ids, in this order.")
      .def_static(
          "stream",
          [](nb::handle first, nb::handle count) {
            return LevelSet::stream(whole_from("first", first), whole_from("count", count));
          },
          "first"_arg, "count"_arg, nb::sig("def stream(first: int, count: int) -> LevelSet"),
          "The ids first..first+count-1, treated as unbounded.")
      .def_prop_ro("is_stream", &LevelSet::is_stream)
      .def("__len__", &LevelSet::size)
      .def(
          "__contains__",
          [](const LevelSet& set, nb::handle level) {
            const nb::object index = nb::steal(PyNumber_Index(level.ptr()));
            const auto id = index.is_valid() ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
            const bool is_id = PyErr_Occurred() == nullptr;
            PyErr_Clear();
            return is_id && set.contains(id);
          },
          "level"_arg, nb::sig("def __contains__(self, level: object) -> bool"))
      .def(
          "__getitem__",
          [](const LevelSet& set, nb::handle index) {
            const nb::object number = nb::steal(PyNumber_Index(index.ptr()));
            if (!number.is_valid()) {
              PyErr_Clear();
              refuse_type("index", "a whole number", index);
            }
            const auto at = PyLong_AsUnsignedLongLong(number.ptr());
            const bool fits = PyErr_Occurred() == nullptr && at < set.size();
            PyErr_Clear();
            if (fits) return set[at];
            throw std::out_of_range("index must be below " + std::to_string(set.size()) +
                                    " and not negative, not " +
                                    nb::cast<std::string>(nb::str(number)));
          },
          "index"_arg, nb::sig("def __getitem__(self, index: int) -> int"))
      .def(
          "__eq__",
          [](const LevelSet& a, nb::handle b) {
            return nb::isinstance<LevelSet>(b) &&
                   a.fingerprint() == nb::cast<const LevelSet&>(b).fingerprint();
          },
          nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__hash__", &LevelSet::fingerprint)
      .def("__repr__", &text_of)
      .def("__getstate__", &state_of, nb::sig(kGetStateSignature))
      .def(
          "__setstate__",
          [](LevelSet& self, State state) { new (&self) LevelSet(set_of(std::move(state))); },
          nb::sig(kSetStateSignature));
}

}  // namespace plr::python
