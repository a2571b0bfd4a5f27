// Curricula as Python holds them: the value and the process that it belongs to.
//
//   nb::class_<CurriculumHandle>(module, "Curriculum");
//   nb::class_<Owned<LevelReplay, Curriculum>, CurriculumHandle>(module, "LevelReplay");
//
// use() gives access for calls that change the curriculum, and throws std::runtime_error in a
// forked process; look() gives access for the others. Not thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "plr/core/curriculum.h"
#include "plr/core/rollout_curriculum.h"
#include "process.h"

namespace plr::python {

template <class Base>
class Handle {
 public:
  virtual ~Handle() = default;

  Base& use() {
    home_.check(type_);
    return value();
  }
  const Base& look() const { return const_cast<Handle*>(this)->value(); }

  std::vector<std::byte> save() const { return look().save(); }
  void load(std::span<const std::byte> bytes) { use().load(bytes); }

 protected:
  // `type` is the name of the class in Python.
  explicit Handle(const char* type) : type_(type) {}
  Handle(const Handle&) = default;
  Handle& operator=(const Handle&) = default;

 private:
  virtual Base& value() = 0;

  const char* type_;
  HomeProcess home_;
};

template <class T, class Base>
class Owned final : public Handle<Base> {
 public:
  Owned(const char* type, T value) : Handle<Base>(type), value_(std::move(value)) {}

  T& use() { return static_cast<T&>(Handle<Base>::use()); }
  const T& look() const { return value_; }

 private:
  Base& value() override { return value_; }

  T value_;
};

using CurriculumHandle = Handle<Curriculum>;
using RolloutHandle = Handle<RolloutCurriculum>;

}  // namespace plr::python
