#include "arrays.h"

#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string_view>

namespace plr::python::detail {
namespace {

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text +=
        (i == 0 ? "" : ", ") + (shape[i] == kAny ? std::string("any") : std::to_string(shape[i]));
  }
  return text + "]";
}

const char* kind_text(std::string_view dtype) {
  if (dtype == "bool") return "bools";
  return dtype == "uint64" ? "whole numbers" : "numbers";
}

// `array` is that of `value`.
std::string wrong_type(const char* name, nb::handle value, const nb::object& array,
                       std::string_view dtype) {
  const auto type = nb::cast<std::string>(array.attr("dtype").attr("name"));
  const bool is_array = nb::cast<std::size_t>(array.attr("ndim")) > 0;
  const std::string kind = kind_text(dtype);
  if (!is_array) {
    const auto own_type = nb::cast<std::string>(value.type().attr("__name__"));
    return std::string(name) + " must be a list or an array of " + kind + ", not " + own_type;
  }
  if (type != "object" || dtype != "uint64") {
    return std::string(name) + " must be " + kind + ", not " + type;
  }
  return std::string(name) + " must be whole numbers from 0 to 18446744073709551615";
}

// Throws if the conversion to `dtype` would change values silently.
void check_values(const char* name, const nb::object& array, std::string_view kind,
                  std::string_view dtype) {
  const auto all = [](const nb::object& answers) {
    return PyObject_IsTrue(nb::object(answers.attr("all")()).ptr()) == 1;
  };
  if (dtype == "uint64" && kind == "i" && !all(array.attr("__ge__")(0))) {
    throw std::invalid_argument(std::string(name) + " must not be negative");
  }
  if (dtype == "bool" && kind != "b" && !all(array.attr("__eq__")(array.attr("__ne__")(0)))) {
    throw std::invalid_argument(std::string(name) + " must be bools, or numbers 0 and 1");
  }
}

// Of a list of whole numbers above and below 2^63, of which numpy makes floats: an array of them.
// Otherwise the array.
nb::object with_whole_numbers(nb::handle value, const nb::object& array) {
  const nb::object objects = nb::module_::import_("numpy").attr("asarray")(value, "object");
  for (const nb::handle item : objects.attr("flat")) {
    if (!nb::isinstance<nb::int_>(item)) return array;
  }
  return objects.attr("astype")("uint64");
}

// numpy.asarray(value). Throws std::invalid_argument if it has no regular shape.
nb::object as_array(const char* name, nb::handle value, std::string_view dtype) {
  try {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(value);
    const bool is_list = nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value);
    const bool has_floats = nb::cast<std::string>(array.attr("dtype").attr("kind")) == "f";
    const bool is_empty = nb::cast<std::size_t>(array.attr("size")) == 0;
    if (dtype != "uint64" || !is_list || !has_floats || is_empty) return array;
    return with_whole_numbers(value, array);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    throw std::invalid_argument(std::string(name) + " must be an array; its rows differ in length");
  }
}

}  // namespace

nb::object checked(const char* name, nb::handle value, std::span<const std::size_t> shape,
                   const char* kinds, const char* dtype) {
  const nb::object array = as_array(name, value, dtype);
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_empty = nb::cast<std::size_t>(array.attr("size")) == 0;  // its type does not matter
  if (!is_empty && std::string_view(kinds).find(kind) == std::string_view::npos) {
    throw nb::type_error(wrong_type(name, value, array, dtype).c_str());
  }
  std::vector<std::size_t> found;
  for (const nb::handle length : array.attr("shape"))
    found.push_back(nb::cast<std::size_t>(length));
  bool fits = found.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    fits = shape[i] == kAny || shape[i] == found[i];
  }
  if (!fits) {
    throw std::invalid_argument(std::string(name) + " must have the shape " + shape_text(shape) +
                                ", not " + shape_text(found));
  }
  check_values(name, array, kind, dtype);
  return nb::module_::import_("numpy").attr("ascontiguousarray")(array, nb::arg("dtype") = dtype);
}

}  // namespace plr::python::detail
