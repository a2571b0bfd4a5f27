#include "settings.h"

#include "numbers.h"

namespace plr::python {

std::string setting_text(std::string_view name, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "true" : "false";
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::isinstance<nb::float_>(value)) return to_text(nb::cast<double>(value));
  // Integers of any type, including NumPy's, then other numbers.
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (number.is_valid()) return nb::cast<std::string>(nb::str(number));
  PyErr_Clear();
  const double real = PyFloat_AsDouble(value.ptr());
  if (!PyErr_Occurred()) return to_text(real);
  PyErr_Clear();
  refuse_type(name, "a number, a bool or a string", value);
}

std::uint64_t whole_number(std::string_view name, nb::handle value) {
  std::uint64_t number = 0;
  parse_value(name, setting_text(name, value), number);
  return number;
}

}  // namespace plr::python
