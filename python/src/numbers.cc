#include "numbers.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <stdexcept>
#include <string>

namespace plr::python {

void refuse_type(std::string_view name, std::string_view what, nb::handle value) {
  const auto type = nb::cast<std::string>(value.type().attr("__name__"));
  const std::string text = std::string(name) + " must be " + std::string(what) + ", not " +
                           (value.is_none() ? "None" : type);
  throw nb::type_error(text.c_str());
}

std::uint64_t whole_from(std::string_view name, nb::handle value, std::uint64_t last) {
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse_type(name, "a whole number", value);
  }
  const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
  const bool fits = PyErr_Occurred() == nullptr;
  if (fits && number <= last) return number;
  PyErr_Clear();
  throw std::invalid_argument(std::string(name) + " must be from 0 to " + std::to_string(last) +
                              ", not " + nb::cast<std::string>(nb::str(index)));
}

double number_from(std::string_view name, nb::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  refuse_type(name, "a number", value);
}

std::string_view text_from(std::string_view name, nb::handle value) {
  if (!nb::isinstance<nb::str>(value)) refuse_type(name, "a string", value);
  return nb::cast<std::string_view>(value);
}

}  // namespace plr::python
