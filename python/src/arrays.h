// Conversion of arrays between Python and C++.
//
//   const Array<double> rewards = take<double>("rewards", object, {num_steps, num_slots});
//   return to_numpy(std::move(scores));
//
// take() accepts anything that numpy.asarray accepts, checks its kind and shape with messages that
// name the array, and copies it only if its type or layout differs.
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

// A row-major array. Keeps its memory alive. Copies share the memory. Not thread-safe.
template <class T>
struct Array {
  nb::ndarray<nb::numpy, const T, nb::c_contig> data;
  std::span<const T> span() const { return {data.data(), data.size()}; }
  std::size_t shape(std::size_t axis) const { return data.shape(axis); }
};

// A dimension of any length.
constexpr std::size_t kAny = static_cast<std::size_t>(-1);

namespace detail {

// Returns numpy.asarray(value) converted to `dtype`. Raises TypeError or ValueError naming the
// array if its dtype.kind is not in `kinds` or its shape differs.
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
  static constexpr const char* kKinds = "bfiu";  // numbers must be 0 or 1
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

// Returns an array that owns `values`.
template <class T>
Column<T> to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Column<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace plr::python
