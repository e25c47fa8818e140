// What a class states about its figures. The driver sends checks and figures; how
// far they may be believed is computed by the server, never here.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "protocol.hpp"

namespace atelier {

// One comparison. Its kind is one of residual, balance, refinement, independent,
// exact, bounds and model; figure is a JSON pointer into the output, "" for all.
struct Check {
  std::string name, kind, figure;
  double value = 0, limit = 0;
  std::string unit;
  // Tells an engineer what was compared, and of a failed check what follows.
  std::string sentence;
  // What to do where the check fails, if the sentence is the same either way: the limit
  // and this are then added to it, so that a failure does not read as a success.
  std::string otherwise = {};
};

// A number of the output that a reader would quote.
struct Quantity {
  std::string name, figure;  // figure: JSON pointer into the output
  double value = 0;
  std::string unit, method;
  std::vector<double> where = {};    // m
  std::optional<double> error = {};  // +- in the unit, an estimate
  bool exact = false;                // the error is a bound
  double scale = 0;                  // what the accuracy of a figure that may vanish is relative to
  bool quoted = false;
};

class Evidence {
 public:
  // Passes when |value| <= limit; a value that is no number fails.
  void Within(const Check& check) { Add(check, std::abs(check.value) <= check.limit); }
  // Passes when value >= limit.
  void AtLeast(const Check& check) { Add(check, check.value >= check.limit, true); }
  // A yes or no.
  void Holds(const std::string& name, const std::string& kind, const std::string& figure,
             bool passed, const std::string& sentence);
  void State(const Quantity& quantity);
  void Note(const std::string& sentence) { notes_.push_back(sentence); }
  // The relative error bar that a figure may have at most, where it is not the
  // server's default.
  void Accuracy(double relative) { accuracy_ = relative; }
  // The order of the elements, which decides what may be advised.
  void Order(int order) { order_ = order; }
  // "refine the mesh", or what else makes the elements finer.
  std::string Finer() const {
    return order_ == 1 ? "refine the mesh, or use order 2" : "refine the mesh";
  }

  // Takes over what stands behind an input of this that the output tells at a pointer: its
  // figures below that, its notes and its checks, whose sentences then begin with `name`. Those
  // of the whole input concern the pointer, and those of figures elsewhere, which this output
  // lacks, the place `beside` in it, where no figure is stated.
  void Input(const Evidence& of, const std::string& pointer, const std::string& beside,
             const std::string& name);

  Json Report() const;

 private:
  void Add(const Check& check, bool passed, bool least = false);

  double accuracy_ = 0;
  int order_ = 2;
  Json checks_ = Json::array(), quantities_ = Json::array(), notes_ = Json::array();
};

// The relative error bar that a figure may have at most where nobody asks for less.
constexpr double kAccuracy = 0.05;

// What may be left over of loads and reactions, relative to their size.
constexpr double kBalanceTolerance = 1e-5;

// What to do where a balance does not close.
constexpr char kUnbalanced[] =
    "The equations are not solved well enough: lower analysis_opts.rel_tol.";

// States a figure with its error bar, and the check that stands behind the bar: it
// fails where the error may be a quarter of `size`, what the figure is held against.
void CheckError(Evidence& evidence, Quantity quantity, double size);

// Error bars are this many times the estimate: Zienkiewicz-Zhu's finds as little as
// 0.65 of the energy of the error on coarse meshes of order 1.
constexpr double kErrorBarSafety = 1.5;

// kAccuracy of the span of a field, relative to a figure of the field: an error of
// a temperature is judged by the temperature differences, whatever the zero of the
// scale.
double AccuracyOfSpan(double low, double high);

}  // namespace atelier
