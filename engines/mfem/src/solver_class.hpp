// The registry of solver classes. Each is one file that ends with a Registration.
#pragma once

#include <string>
#include <vector>

#include "block_csr.hpp"
#include "domain.hpp"
#include "evidence.hpp"

namespace atelier {

// What is known of each element, by which a mesh is refined where it needs to be.
struct ByElement {
  Values error;  // in the energy norm
  Values goal;   // share of the dual error bar of Domain::goal; empty where it has none
  Values peak;   // the largest von Mises stress, Pa; empty where the class has none
};

// What a class answers. main adds what is common to all: class, dimension,
// mesh, wall time, the summary files and the evidence.
struct Answer {
  Json output = Json::object();  // class-specific fields, and energy, iterations, error_norm
  Json artifacts = Json::array();
  Json metrics = Json::object();
  std::string summary;  // one sentence with the figures that matter
  Evidence evidence;
  Warnings warnings;
  ByElement by_element;
  double peak_kink = 0;  // rad: how far a curved surface bends between elements at the stress peak
};

using SolveFunction = Answer (*)(Domain& domain, const Config& config);

// A golden case: a request's config on an inline mesh, and what must come out.
struct GoldenCase {
  std::string name;
  std::string mesh;  // MFEM's text format
  Json config;
  std::string figure;  // JSON pointer into the output
  double expected = 0, relative_tolerance = 0;
};

struct SolverClass {
  std::string name;
  SolveFunction solve;
  std::vector<GoldenCase> (*golden)();
};

class Registration {
 public:
  Registration(const char* name, SolveFunction solve, std::vector<GoldenCase> (*golden)());
};

// Case, '_' and '-' do not matter. Throws Error naming the known classes.
const SolverClass& FindClass(const std::string& name);
const std::vector<SolverClass>& AllClasses();

}  // namespace atelier
