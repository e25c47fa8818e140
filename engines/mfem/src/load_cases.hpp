// Several load cases on one part, and linear combinations of them: each is a static problem of
// its own on the same matrix.
#pragma once

#include <string>
#include <vector>

#include "solver_class.hpp"

namespace atelier {

struct Task;

// The analysis that an elastic part is asked for, after what it has no use for was refused. The
// domain learns whether it is a body of revolution.
std::string Admit(Domain& domain, const Config& config);

// What acts on the whole part (gravity, rotation ...), times a factor.
struct Action {
  Config config;
  double factor;
};
// Those of a configuration: its own fields, or in a combination those of every case.
std::vector<Action> Actions(const Config& config);
// The fields that act on the mass of a condition.
Config ActionOf(const Config& config, const Config& condition);
// By which a load of a combination is multiplied; 1 elsewhere.
double FactorOf(const Config& condition);

// A case or a combination as the configuration of one static problem: the conditions of cases
// stand behind the common ones, with the factor of each.
struct LoadState {
  std::string list, name;  // list: cases or combinations
  size_t index = 0;        // in it
  Json config;
  size_t common = 0;                               // conditions before its own
  std::vector<std::string> places;                 // of its own conditions, such as cases/0/bcs/1
  std::vector<std::pair<size_t, double>> factors;  // of a combination, by case

  std::string Pointer() const { return "/" + list + "/" + std::to_string(index); }
  std::string Title() const { return (list == "cases" ? "Case " : "Combination ") + name; }
};
// The cases of a configuration, and its combinations behind them.
std::vector<LoadState> ReadLoadStates(const Json& config);

// Solves all of them, for figures alone on a refined mesh.
Answer SolveLoadCases(Domain& domain, const Json& config);
// The same for a request, with finer meshes for each figure.
Answer RunLoadCases(const Task& task, Domain& domain);

}  // namespace atelier
