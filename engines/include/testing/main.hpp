// The main function of a native engine's unit tests, for one of its files: run all,
// or --test-case="name"; ATELIER_SEED repeats a run.
#pragma once

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

#include "testing/random.hpp"

namespace atelier {

uint32_t Seed() {
  static const uint32_t seed = [] {
    const char* text = std::getenv("ATELIER_SEED");
    return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : std::random_device{}();
  }();
  return seed;
}

// What the libraries want before the first test.
void PrepareTests();

}  // namespace atelier

int main(int argc, char** argv) {
  atelier::PrepareTests();
  std::cerr << "ATELIER_SEED=" << atelier::Seed() << std::endl;
  return doctest::Context(argc, argv).run();
}
