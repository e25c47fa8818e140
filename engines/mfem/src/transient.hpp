// Vibrations under loads f g(t): M u'' + C u' + K u = f g(t), by superposition of modes, each
// integrated exactly, with a static correction for what the modes leave of the loads (mode
// acceleration: Cornwell, Craig and Johnson, Earthquake Eng. Struct. Dyn. 11, 1983). With the
// static displacements u_s the answer is u = r u_s + sum of phi_j p_j / lambda_j (x_j - r), where r
// is g, lagging by the damping in proportion to the stiffness.
#pragma once

#include <map>

#include "forced_vibration.hpp"
#include "oscillator.hpp"

namespace atelier {

struct Transient {
  Elasticity& p;  // p.u: the static displacements
  Vibration v;
  Damping damping;
  TimeHistory history;
  std::optional<Lag> lag;  // of what answers without inertia
  double end = 0;          // s
  int count = 0;           // intervals between the times of the table
  bool from_static = false;
  Values share;                        // p_j / lambda_j of each mode, m kg^0.5
  std::vector<Oscillator> motions;     // of each mode
  Values rest;                         // static displacements that the modes leave
  double next = 0;                     // the lowest eigenvalue that is left out, (rad/s)^2
  std::vector<Oscillator> unresolved;  // at the frequency of that, and beyond
  double still = 0;                    // largest static displacement, times the largest factor, m

  explicit Transient(Elasticity& e) : p(e), v(e) {}
  double Time(int step) const { return end * step / count; }
  // How the static displacements follow the loads.
  double Still(double time) const { return lag->At(time); }
  double HighestFrequency() const { return Frequency(v.lambda.back()); }
};

// Modes enough that what they leave of the loads hardly vibrates.
void PrepareTransient(Transient& t);
// p_j / lambda_j (x_j - r) of each mode.
Values DynamicParts(const Transient& t, double time);
// Few modes lie in the upper octave, and those beyond may have more.
constexpr double kBeyondSafety = 2;
// How far the vibration of what the modes leave may be from its static answer around a time, over
// the size of that: the spectrum of the loads beyond the highest mode.
double Unresolved(const Transient& t, double time);
// The most of it of all times.
double MostUnresolved(const Transient& t);
// What a mode of the upper octave tells of the static shares of those beyond, m kg^0.5: as much as
// its own, and where a gap lies between them less by the ratio of the eigenvalues, since loads
// take part in them alike. 0 of a mode below that octave.
double BeyondShare(const Transient& t, size_t mode);

// A field that is linear in the displacements, by node, and the size of its values there.
struct LinearField {
  int components = 0;
  const Values* statics = nullptr;
  std::vector<const Values*> modes;  // null of one that takes no part
  double (*size)(const double* value, int components) = nullptr;
  const std::vector<char>* among = nullptr;  // by node: where its largest value is looked for

  Values At(const Transient& t, double time) const;
  std::vector<double> AtNode(int node, double factor, const Values& dynamic) const;
};
double VectorLength(const double* v, int components);
double AsVonMises(const double* s, int components);
LinearField Displacements(const Transient& t);

struct Peak {
  double time = 0, size = 0;
  int node = 0;
};

// The highest frequency of a mode that takes part in the displacements, Hz.
double HighestThatTakesPart(const Transient& t);

// Times that are close enough together to hold every period of the modes that take part.
class Sampling {
 public:
  // stressed: the highest frequency of a mode with stresses that count, Hz.
  Sampling(const Transient& t, double stressed);
  const Values& Times() const { return times_; }
  const std::vector<Values>& Dynamic() const { return dynamic_; }
  const Values& Factors() const { return factors_; }
  // In a period of the highest mode that takes part in displacements, in stresses.
  double PerPeriod() const { return per_period_; }
  double PerStressedPeriod() const { return per_stressed_period_; }

 private:
  Values times_, factors_;
  std::vector<Values> dynamic_;
  double per_period_ = 0, per_stressed_period_ = 0;
};

constexpr double kTakesPart = 0.005;  // of the static displacement, or stress: a mode counts

// Of the highest eigenvalue: modes above it lie in the octave below the highest frequency.
constexpr double kUpperOctave = 0.25;

// The largest value of `size` over time: at the samples, then between those beside the best.
Peak LargestInTime(const Transient& t, const Sampling& s,
                   const std::function<double(double factor, const Values& dynamic)>& size);
// The largest of a field over nodes and time. steps: the nodes where it is largest at each step.
Peak LargestOf(const Transient& t, const Sampling& s, const LinearField& field,
               const std::vector<std::pair<int, double>>& steps);
// The node with the largest value.
std::pair<int, double> LargestNode(const Values& field, const LinearField& of);

// The stresses of one material, whose yield strength is known.
struct Yielding {
  std::unique_ptr<std::vector<char>> nodes;  // whether it has them
  LinearField stress;
  std::vector<std::pair<int, double>> steps;  // node and size at each
  Peak peak;
};

// What is followed in time.
struct TransientRun {
  std::vector<std::pair<int, double>> displaced, stressed;  // node and size at each step
  Peak peak, stress;
  std::vector<Yielding> yielding;  // more than one: the weakest may yield at another time
  std::vector<Values> tensors;     // of each mode, empty of one without
  bool stress_in_time = false;
};

// Error bars of displacements at a time, but for what LeftByModes tells.
class TransientBars {
 public:
  explicit TransientBars(Transient& t);
  // The relative error of a mode's frequency.
  std::optional<double> FrequencyError(size_t mode) const { return frequency_[mode]; }
  // Of the length of u at these nodes, weighted; still: static displacement; phi: each mode there.
  std::optional<double> Of(double time, const std::vector<std::pair<int, double>>& nodes,
                           const Values& u, const Values& still, const std::vector<Values>& phi);
  // Of one component c.
  std::optional<double> OfComponent(double time, const std::vector<std::pair<int, double>>& nodes,
                                    int c, const Values& u, const Values& still,
                                    const std::vector<Values>& phi);

 private:
  std::optional<double> OfStatic(const std::vector<std::pair<int, double>>& nodes, int c);
  std::optional<double> OfModes(double time, const Values& u, const std::vector<Values>& phi) const;
  double OfPhase(size_t mode, double error, double time, const Values& u, const Values& phi) const;

  Transient& t_;
  ErrorBars dual_;
  std::vector<std::optional<double>> frequency_;  // relative, by mode
  std::map<std::pair<int, int>, std::optional<double>> statics_;
};

// How far the vibration of modes beyond the highest may move a displacement at a time, whose
// static remainder is `left`: they have about as much of the static displacement as those of the
// octave below it, and ring as the spectrum of the loads says. And by how much those that hardly
// take part may raise a peak at times that are not looked at. A finer mesh shows neither.
double LeftByModes(const Transient& t, double time, const Values& left,
                   const std::vector<Values>& phi);

double StrainEnergy(const Elasticity& p, const Values& u);
// States what the equations of motion leave at a time: f g - K u - M u'' - C u', by how much
// solving for it would change u in the norm of K.
void CheckEquations(Transient& t, const Values& u, double time);
// Whether modes that are left out, or that the mesh does not resolve, may change the stresses.
// energy: of the strains where they are largest.
void CheckModesSuffice(Transient& t, const TransientRun& run, const TransientBars& bars,
                       double energy);
// Whether peaks lie between the times that were looked at, or behind the last.
void CheckTimes(Transient& t, const TransientRun& run, const Sampling& samples);

inline std::string Seconds(double t) { return Text(t, 5) + " s"; }

void ReportTransient(Transient& t, const Probes& probes);

}  // namespace atelier
