// Random numbers of the tests: every run has another seed, which it prints, and
// ATELIER_SEED repeats one.
#pragma once

#include <cstdint>
#include <random>

namespace atelier {

// The seed of this run.
uint32_t Seed();

// One stream of numbers per test case, so that a case alone draws what it draws
// among all.
class Random {
 public:
  explicit Random(uint32_t stream) : engine_(Seed() + 7919 * stream) {}
  double Between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int Integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

 private:
  std::mt19937 engine_;
};

}  // namespace atelier
