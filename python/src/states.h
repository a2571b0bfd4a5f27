// How do saved states travel through Python?
//
// As {"state": bytes}, the very bytes that save() writes and load() checks (base/bytes.h).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace plr::python {

namespace nb = nanobind;

template <class T>
nb::bytes bytes_of(const T& object) {
  const std::vector<std::byte> bytes = object.save();
  return nb::bytes(bytes.data(), bytes.size());
}

template <class T>
void load_bytes(nb::handle bytes, T& object) {
  if (!nb::isinstance<nb::bytes>(bytes)) {
    throw std::invalid_argument("state has no bytes 'state'; give what state_dict() returned");
  }
  const auto state = nb::borrow<nb::bytes>(bytes);
  object.load({static_cast<const std::byte*>(state.data()), state.size()});
}

// For the functions of pickle, whose types are nobody else's business.
constexpr const char* kGetStateSignature = "def __getstate__(self) -> tuple[object, ...]";
constexpr const char* kSetStateSignature =
    "def __setstate__(self, state: tuple[object, ...], /) -> None";

// The settings among the parts of a pickled state, of which there are so many.  Throws
// std::runtime_error for a state that is none of ours.
inline nb::kwargs settings_in(const nb::tuple& state, std::size_t num_parts, std::size_t at) {
  if (state.size() != num_parts || !nb::isinstance<nb::dict>(state[at])) {
    throw std::runtime_error("the pickled state is damaged, or of another version");
  }
  return nb::borrow<nb::kwargs>(nb::handle(state[at]));
}

// Gives a class the functions that torch's users expect.
template <class T, class... Bases>
void bind_state_dict(nb::class_<T, Bases...>& type) {
  type.def(
          "state_dict",
          [](const T& self) {
            nb::dict state;
            state["state"] = bytes_of(self);
            return state;
          },
          nb::sig("def state_dict(self) -> dict[str, bytes]"),
          "Everything that decides its future.")
      .def(
          "load_state_dict",
          [](T& self, const nb::dict& state) { load_bytes(state.attr("get")("state"), self); },
          nb::arg("state"), nb::sig("def load_state_dict(self, state: dict[str, bytes]) -> None"),
          "Goes on from there.  Raises RuntimeError for a damaged state or one of other settings; "
          "nothing has changed then.");
}

}  // namespace plr::python
