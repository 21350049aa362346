// SPDX-License-Identifier: MIT
#pragma once
// Scratch memory for re-entrant solvers: every solve borrows an object, and those given back are used again.
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace concord::kit {

template <class T>
class Workspaces {
 public:
  /// Gives its object back at the end of its life, which must not be later than that of the Workspaces.
  class Loan {
   public:
    Loan(Workspaces& owner, std::unique_ptr<T> object) : owner_(owner), object_(std::move(object)) {}
    ~Loan() {
      const std::lock_guard lock(owner_.mutex_);
      owner_.idle_.push_back(std::move(object_));
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    Workspaces& owner_;
    std::unique_ptr<T> object_;
  };

  Loan borrow() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return Loan(*this, std::make_unique<T>());
    std::unique_ptr<T> object = std::move(idle_.back());
    idle_.pop_back();
    return Loan(*this, std::move(object));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace concord::kit
