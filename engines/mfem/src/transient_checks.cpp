// What stands behind the figures of a transient analysis.
#include <algorithm>
#include <cmath>

#include "error_estimate.hpp"
#include "krylov.hpp"
#include "transient.hpp"

namespace atelier {
namespace {

constexpr double kMostChange = 1e-4;   // by solving for what is left of the loads, relative
constexpr double kLeastPerPeriod = 6;  // samples: fewer may miss a peak
// Of the largest, in modes like those left out: what these add may be twice that.
constexpr double kMostLeftOfStress = 0.05;
constexpr double kResolved = 0.05;  // relative error of a mode's frequency
constexpr double kAtEnd = 0.999;    // of the time: a peak there may not be the last

// What the modes beyond the highest may have of the largest stress, if all of it adds: what they
// leave of the static one, or as much of it as those of the octave below, ringing as the spectrum
// of the loads says. Where stresses travel as fronts it does not fade.
double StressBeyond(const Transient& t, const TransientRun& run) {
  if (!(run.stress.size > 0)) return 0;
  const auto at = [&](const Values& tensor) {
    return VonMises(&tensor[static_cast<size_t>(run.stress.node) * kStressComponents]);
  };
  const Elasticity& p = t.p;
  double sum = at(RecoverStress(*p.space, t.rest, p.materials.lame, p.materials.kind).tensor);
  for (size_t j = 0; j < t.share.size(); j++) {
    if (!run.tensors[j].empty()) sum += BeyondShare(t, j) * at(run.tensors[j]);
  }
  return sum * Unresolved(t, run.stress.time) / run.stress.size;
}

// The vibration of what the modes leave of the loads, in the energy norm, over that at the peak.
double LeftOfEnergy(const Transient& t, double energy) {
  return energy > 0
             ? MostUnresolved(t) * std::sqrt(std::max(0.0, StrainEnergy(t.p, t.rest)) / energy)
             : 0;
}

// The relative errors of the eigenvalues, each times what its mode has of the displacement.
double UnconvergedShare(const Transient& t) {
  const LinearField u = Displacements(t);
  double sum = 0;
  for (size_t j = 0; j < t.share.size(); j++)
    sum += t.v.residuals[j] * std::abs(t.share[j]) * LargestNode(t.v.shapes[j], u).second *
           t.motions[j].MostRinging(t.end);
  return t.still > 0 ? sum / t.still : 0;
}

// What modes that the mesh does not resolve have of the largest stress, if all of it adds. Halving
// the elements may show nothing of it: behind a front the stress of a discrete bar overshoots alike
// on every mesh.
double StressUnresolved(const Transient& t, const TransientRun& run, const TransientBars& bars) {
  if (!(run.stress.size > 0)) return 0;
  double sum = 0;
  for (size_t j = 0; j < run.tensors.size(); j++) {
    if (run.tensors[j].empty() || bars.FrequencyError(j).value_or(1) <= kResolved) continue;
    sum += std::abs(t.share[j]) * t.motions[j].Ringing(run.stress.time) *
           VonMises(&run.tensors[j][static_cast<size_t>(run.stress.node) * kStressComponents]);
  }
  return sum / run.stress.size;
}

}  // namespace

double StrainEnergy(const Elasticity& p, const Values& u) {
  return 0.5 * Dot(u, p.problem->Stiffness(u));
}

// f g - K u - M u'' - C u' in the peak, and how much solving for it would change u in the norm
// of K.
void CheckEquations(Transient& t, const Values& u, double time) {
  Elasticity& p = t.p;
  Values motion(u.size(), 0.0), rest = p.load, change;
  for (size_t j = 0; j < t.share.size(); j++) {
    const Oscillator& o = t.motions[j];
    const double drag = 2 * t.damping.RatioOf(t.v.lambda[j]) * o.Omega() * o.At(time).v;
    Axpy(t.share[j] * (o.Acceleration(time) + drag), t.v.shapes[j], motion);
  }
  for (double& f : rest) f *= t.history.Factor(time);
  Axpy(-1, Times(t.v.mass, motion), rest);
  Axpy(-1, p.problem->Stiffness(u), rest);
  const double behind = t.history.Factor(time) - t.Still(time);
  if (behind != 0) Axpy(-behind, p.problem->Stiffness(t.rest), rest);  // its damping
  p.constraints->Clear(rest);
  Values moving = p.load;
  p.constraints->Clear(moving);
  const double size = t.history.largest * Norm2(moving), energy = StrainEnergy(p, u);
  const double left = size > 0 ? Norm2(rest) / size : 0;
  p.answer.output["residual"] = left;
  p.answer.output["error_norm"] = left;
  double relative = 0;
  if (energy > 0) {
    RequireConverged(p.problem->SolveHomogeneous(rest, change, p.options), p.options,
                     *p.domain.mesh, &p.materials.lame);
    relative = std::sqrt(StrainEnergy(p, change) / energy);
  }
  p.answer.evidence.Within(
      {"residual", "residual", "", relative, kMostChange, "1",
       "Solving the equations of motion once more, for what the largest displacement leaves of the "
       "loads, changes it by " +
           Text(relative, 2) + " of its size.",
       "Lower analysis_opts.rel_tol."});
}

void CheckModesSuffice(Transient& t, const TransientRun& run, const TransientBars& bars,
                       double energy) {
  Evidence& ev = t.p.answer.evidence;
  const double coarse = StressUnresolved(t, run, bars);
  ev.Within(
      {"waves_resolved", "refinement", "/von_mises/max", coarse, kMostLeftOfStress, "1",
       "Modes whose frequencies this mesh does not know to " + Text(100 * kResolved, 2) +
           " % may have " + Text(100 * coarse, 2) + " % of the largest stress.",
       "Refine the mesh, or give the time in which the loads rise in history: stresses travel "
       "as waves here, whose fronts are shorter than the elements."});
  const double share = run.stress_in_time ? StressBeyond(t, run) : LeftOfEnergy(t, energy);
  for (const char* name : {"max", "p99"})
    t.p.answer.output["time_errors"][std::string("/von_mises/") + name] =
        (kBeyondSafety * share + coarse) * t.p.answer.output["von_mises"][name].get<double>();
  ev.Within(
      {"modes_suffice", "refinement", "/von_mises/max", share, kMostLeftOfStress, "1",
       (run.stress_in_time
            ? "Modes from " + Text(Frequency(t.next)) + " Hz on, which are left out, may " +
                  "vibrate with about " + Text(100 * share, 2) +
                  " % of the largest stress, by those from " + Text(0.5 * t.HighestFrequency()) +
                  " to " + Text(t.HighestFrequency()) + " Hz and the spectrum of the loads."
            : "What the modes up to " + Text(t.HighestFrequency()) +
                  " Hz leave of the loads may vibrate with " + Text(100 * share, 2) +
                  " % of the stresses over the whole part (energy norm)."),
       "The loads change so quickly that stresses travel as waves, whose fronts modes do not "
       "resolve: give the time in which the loads rise in history."});
  const double off = UnconvergedShare(t);
  ev.Within({"modes_converged", "residual", "/transient", off, kMostResidual, "1",
             "By the errors of their eigenvalues the modes are those of the discrete part to " +
                 Text(off, 2) + " of the static displacement."});
  CheckCount(t.v.count, "/transient", "K - mu M", "modes",
             "That no mode was missed was not counted: the part has too many unknowns, or the "
             "eigenvalues lie too close together.",
             ev);
  if (!run.stress_in_time)
    ev.Holds("stress_in_time", "model", "/von_mises", false,
             "Stresses are those at the largest displacement alone, and may be larger at another "
             "time: there is no room for those of " +
                 std::to_string(t.share.size()) + " modes. Give more memory, or a coarser mesh.");
}

void CheckTimes(Transient& t, const TransientRun& run, const Sampling& samples) {
  Evidence& ev = t.p.answer.evidence;
  double at_steps = 0;
  for (const auto& step : run.displaced) at_steps = std::max(at_steps, step.second);
  const std::string shorten = "Shorten time.end, and the history where that goes on as long.";
  const auto looked = [](double count, const std::string& what) {
    return "The largest " + what + " was looked for at " + Text(count, 3) +
           " times in each period of the highest mode that takes part in it, and then between "
           "them.";
  };
  ev.AtLeast({"peak_between_steps", "refinement", "/transient", samples.PerPeriod(),
              kLeastPerPeriod, "1",
              "The times of the table reach " +
                  Text(run.peak.size > 0 ? 100 * at_steps / run.peak.size : 100, 4) +
                  " % of the largest displacement. " + looked(samples.PerPeriod(), "displacement"),
              shorten});
  ev.AtLeast({"stress_between_steps", "refinement", "/von_mises", samples.PerStressedPeriod(),
              kLeastPerPeriod, "1", looked(samples.PerStressedPeriod(), "stress"), shorten});
  if (run.peak.time > kAtEnd * t.end && run.peak.size > 0)
    t.p.answer.warnings.push_back(
        {"peak_at_end", "The displacement is largest at the end of the time, " + Seconds(t.end) +
                            ", and may go on to grow: raise time.end to see the largest of all."});
  ev.Note(
      "The error of a frequency shifts the phase of its mode: error bars grow with time. Figures "
      "are the largest up to " +
      Seconds(t.end) + ".");
}

}  // namespace atelier
