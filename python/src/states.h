// Saved states in Python: {"state": bytes}, with the bytes of save() and load() (base/bytes.h).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "numbers.h"

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
    throw std::invalid_argument("state has no bytes 'state'; pass the result of state_dict()");
  }
  const auto state = nb::borrow<nb::bytes>(bytes);
  object.load({static_cast<const std::byte*>(state.data()), state.size()});
}

// Signatures of pickle's methods, with opaque types.
constexpr const char* kGetStateSignature = "def __getstate__(self) -> tuple[object, ...]";
constexpr const char* kSetStateSignature =
    "def __setstate__(self, state: tuple[object, ...], /) -> None";

// Returns the settings, part `at` of the `num_parts` of a pickled state. Throws std::runtime_error
// if the state has another structure.
inline nb::kwargs settings_in(const nb::tuple& state, std::size_t num_parts, std::size_t at) {
  if (state.size() != num_parts || !nb::isinstance<nb::dict>(state[at])) {
    throw std::runtime_error("the pickled state is damaged or of another version");
  }
  return nb::borrow<nb::kwargs>(nb::handle(state[at]));
}

// Adds state_dict() and load_state_dict(), as in torch.
template <class T, class... Bases>
void bind_state_dict(nb::class_<T, Bases...>& type) {
  type.def(
          "state_dict",
          [](const T& self) {
            nb::dict state;
            state["state"] = bytes_of(self);
            return state;
          },
          nb::sig("def state_dict(self) -> dict[str, bytes]"), "Returns the complete state.")
      .def(
          "load_state_dict",
          [](T& self, nb::handle state) {
            if (!nb::isinstance<nb::dict>(state)) refuse_type("state", "a dict", state);
            load_bytes(state.attr("get")("state"), self);
          },
          "state"_arg, nb::sig("def load_state_dict(self, state: dict[str, bytes]) -> None"),
          "Restores a state.  Raises RuntimeError, without changing anything, if the state is "
          "damaged "
          "or has other settings.");
}

}  // namespace plr::python
