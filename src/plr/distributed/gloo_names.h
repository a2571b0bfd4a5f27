// The names of Gloo that torch's ProcessGroupGloo.hpp mentions.
//
// torch contains Gloo and exports ProcessGroupGloo, but does not ship Gloo's own headers.  The
// header needs only declarations: the class holds pointers to Gloo's objects, which nothing here
// makes or calls.  CMake copies this file under the names of the five headers that are included
// there.
//
// Not #pragma once, since the file has several names.
#ifndef PLR_DISTRIBUTED_GLOO_NAMES_H
#define PLR_DISTRIBUTED_GLOO_NAMES_H

#include <chrono>
#include <string>
#include <vector>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace transport {

class Device;
class UnboundBuffer {
 public:
  virtual ~UnboundBuffer();
};

}  // namespace transport

namespace rendezvous {

struct Store {
  virtual ~Store();
  virtual void set(const std::string& key, const std::vector<char>& data) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
};

}  // namespace rendezvous
}  // namespace gloo

#endif  // PLR_DISTRIBUTED_GLOO_NAMES_H
