// The message of an expected exception.
//
//   EXPECT_EQ(invalid_argument_of([&] { Uniform(...); }), "...");
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace plr {

// The message of the Error that `call` throws. The test fails if it throws nothing; other
// exceptions pass through.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

template <class Call>
std::string runtime_error_of(const Call& call) {
  return message_of<std::runtime_error>(call);
}
template <class Call>
std::string invalid_argument_of(const Call& call) {
  return message_of<std::invalid_argument>(call);
}

}  // namespace plr
