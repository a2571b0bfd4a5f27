// What does a call say when it fails?
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace plr {

// The message of the std::runtime_error that `call` throws; a failure of the test if it throws
// none, or something else.
template <class Call>
std::string runtime_error_of(const Call& call) {
  try {
    call();
    ADD_FAILURE() << "expected an error";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace plr
