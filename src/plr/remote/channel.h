// A connection to a process that plays slots of a Python environment.
//
//   Channel channel("/tmp/x/socket");      // the process is started by the listener
//   channel.send(request);                 // bytes, and with share() a descriptor
//   channel.receive(reply);
//
// A Unix socket: both sides notice at once that the other has ended. Errors throw
// std::runtime_error. Movable. Not thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace plr::remote {

// A file descriptor that is closed at the end. Movable.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_;
};

class Channel {
 public:
  explicit Channel(const std::filesystem::path& socket);

  void send(std::span<const std::byte> bytes);
  // Sends a descriptor, which the other process gets as one of its own.
  void share(const Descriptor& descriptor);
  // Fills all of `bytes`.
  void receive(std::span<std::byte> bytes);

 private:
  Descriptor socket_;
};

}  // namespace plr::remote
