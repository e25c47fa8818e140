// CalculiX as a second structural engine: a program of its own, which is given a deck and whose
// answer is read from its files.
#pragma once

#include "calculix_deck.hpp"

namespace atelier {

// What it found at the end of the step, in our unknowns and per metre of thickness in 2-D.
struct CalculixResults {
  Values u;               // m
  Values forces;          // internal nodal forces, N
  double energy = 0;      // J: of strain, in linear theory
  StressField stress;     // without an estimate of the error
  Values plastic_strain;  // equivalent, by node; empty where nothing yields
  double strain = 0;      // the largest entry of Green's strain
  int increments = 0;
  std::vector<ContactState> contacts;
};

// Runs the program in the working folder and reads what it found. Throws missing_dependency,
// ERR_NOT_CONVERGED or solver_failed.
CalculixResults RunCalculix(const Elasticity& p, const CalculixModel& model,
                            const CalculixStep& step);

// Reads the tables of the program's .dat file.
CalculixResults ReadCalculix(const Elasticity& p, const CalculixModel& model,
                             const std::string& file);

constexpr char kCalculixDeck[] = "calculix.inp";

}  // namespace atelier
