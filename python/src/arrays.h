// How do arrays come from Python, and go there?
//
//   const Array<double> rewards = take<double>("rewards", object, {num_steps, num_slots});
//   return to_numpy(std::move(scores));
//
// What comes is anything that numpy.asarray takes: its kind and shape are checked in words of our
// own, and it is copied only if its type or layout is another.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace plr::python {

namespace nb = nanobind;

template <class T>
using Column = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Numbers in rows, alive as long as this is.
template <class T>
struct Array {
  nb::ndarray<nb::numpy, const T, nb::c_contig> data;
  std::span<const T> span() const { return {data.data(), data.size()}; }
  std::size_t shape(std::size_t axis) const { return data.shape(axis); }
};

// A dimension of any length.
constexpr std::size_t kAny = static_cast<std::size_t>(-1);

namespace detail {

// numpy.asarray(value), of the type named `dtype`, if it is of one of the `kinds` of numpy's
// dtype.kind and has this shape.  Raises TypeError or ValueError naming the array.
nb::object checked(const char* name, nb::handle value, std::span<const std::size_t> shape,
                   const char* kinds, const char* dtype);

template <class T>
struct NumpyType;
template <>
struct NumpyType<double> {
  static constexpr const char* kKinds = "fiu";
  static constexpr const char* kName = "float64";
};
template <>
struct NumpyType<float> {
  static constexpr const char* kKinds = "fiu";
  static constexpr const char* kName = "float32";
};
template <>
struct NumpyType<bool> {
  static constexpr const char* kKinds = "bfiu";  // other numbers must be 0 or 1
  static constexpr const char* kName = "bool";
};
template <>
struct NumpyType<std::uint64_t> {
  static constexpr const char* kKinds = "iu";
  static constexpr const char* kName = "uint64";
};

}  // namespace detail

template <class T>
Array<T> take(const char* name, nb::handle value, const std::vector<std::size_t>& shape) {
  using Type = detail::NumpyType<T>;
  const nb::object array = detail::checked(name, value, shape, Type::kKinds, Type::kName);
  return {nb::cast<nb::ndarray<nb::numpy, const T, nb::c_contig>>(array)};
}

// An array that owns its numbers.
template <class T>
Column<T> to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Column<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace plr::python
