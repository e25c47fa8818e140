// Natural frequencies, of a part free of stress or under the stresses of its loads.
#include <algorithm>
#include <cmath>

#include "bodies.hpp"
#include "error_estimate.hpp"
#include "krylov.hpp"
#include "vibration.hpp"

namespace atelier {

void WriteShapes(Elasticity& p, std::vector<Values>& shapes, int count,
                 std::vector<PointField> fields) {
  if (p.domain.refined) return;
  EmitProgress(0.85, "writing the shapes");
  for (int i = 0; i < count; i++) {
    double largest = 0;
    for (size_t n = 0; n < shapes[i].size(); n += p.dim) {
      double size = 0;
      for (int c = 0; c < p.dim; c++) size += shapes[i][n + c] * shapes[i][n + c];
      largest = std::max(largest, std::sqrt(size));
    }
    for (double& x : shapes[i]) x /= largest;
    fields.push_back({"mode_" + std::to_string(i + 1), "1", p.dim, &shapes[i]});
  }
  VtuWriter writer(*p.space, "solution");
  writer.Write(0, fields, {});
  p.answer.artifacts.push_back(writer.Artifact());
  p.answer.output["fields"] = writer.Fields();
  p.answer.output["vtk_file"] = writer.Collection();
}

namespace {

constexpr double kRigid = 1e-5;  // of the first elastic eigenvalue: no more is a rigid one

// What a vibration has no use for would be ignored without a word.
void RefuseLoads(const Elasticity& p) {
  const char* hint =
      "Natural frequencies of linear theory do not depend on the loads: leave them out. prestress: "
      "true finds those of the part under the stresses of its loads, analysis static what these "
      "do.";
  for (const char* name : {"gravity", "acceleration", "rotation", "body_force", "temperature"}) {
    if (p.config.Has(name))
      throw p.config.Refuse(name, "is a load, and a modal analysis has none").Hint(hint);
  }
  for (const Region& r : p.regions) {
    if (IsElastic(r)) continue;
    if (!IsFixed(r))
      throw r.config.Refuse("type", "is a load, and a modal analysis has none").Hint(hint);
    if (!r.config.Has("value")) continue;
    for (double v : r.config.Vector("value", p.dim)) {
      if (v != 0)
        throw r.config.Refuse("value", "moves the support; in a modal analysis it stands still")
            .Hint("Leave value out.");
    }
  }
}

double TotalMass(const Elasticity& p) {
  double sum = 0;
  for (int e = 0; e < p.domain.mesh->GetNE(); e++)
    sum += p.materials.density[e] * p.domain.mesh->GetElementVolume(e);
  return sum;
}

// The share of the mass that a mode moves with when the supports shake along each axis.
Json MassShares(const Vibration& v, const Values& shape, double mass) {
  Json shares = Json::array();
  const int dim = v.p.dim;
  for (int c = 0; c < dim; c++) {
    Values along(shape.size(), 0.0);
    for (size_t i = c; i < along.size(); i += dim) along[i] = 1;
    const double part = Dot(shape, Times(v.mass, along));
    shares.push_back(part * part / mass);
  }
  return shares;
}

void StateFrequencies(Vibration& v) {
  Elasticity& p = v.p;
  const std::vector<std::optional<double>> errors = FrequencyErrors(v);
  const double mass = TotalMass(p);
  Json modes = Json::array();
  for (int i = 0; i < v.wanted; i++) {
    const double f = Frequency(v.lambda[i]);
    modes.push_back(
        {{"number", i + 1}, {"frequency", f}, {"mass_share", MassShares(v, v.shapes[i], mass)}});
    if (i >= kStatedModes) continue;
    Quantity q = {"natural frequency " + std::to_string(i + 1),
                  "/modes/" + std::to_string(i) + "/frequency", f, "Hz",
                  "Lanczos' method on consistent mass; error bar by recovered stresses"};
    q.quoted = i < 3;
    q.error = errors[i];
    CheckError(p.answer.evidence, q, f);
  }
  Json& out = p.answer.output;
  out["modes"] = modes;
  out["rigid_modes"] = v.motions.total;
  out["mass"] = mass;
  constexpr double kRounding = 1e-12;
  p.answer.evidence.State({"mass",
                           "/mass",
                           mass,
                           p.dim == 3 ? "kg" : "kg/m",
                           "density by volume",
                           {},
                           kRounding * mass,
                           true});
  p.answer.evidence.Holds("mass_of_mesh", "exact", "/mass", true,
                          "The mass is the density integrated exactly over the elements, straight "
                          "or curved: it is off only by what the mesh differs from the part.");
}

void CheckModes(Vibration& v) {
  Evidence& ev = v.p.answer.evidence;
  ev.Within({"modes_converged", "residual", "/modes", v.residual, kMostResidual, "1",
             "The eigenvalues are those of the discrete part to " + Text(v.residual, 2) +
                 " of their size."});
  if (v.motions.total > 0) {
    const double share = v.rigid / v.lambda[0];
    ev.Within({"rigid_modes", "exact", "/modes", share, kRigid, "1",
               "Nothing holds the part along " + std::to_string(v.motions.total) +
                   " rigid motions, whose stiffness is 0 to " + Text(share, 2) +
                   " of that of the first mode; they are left out of the modes."});
  }
  CheckCount(v.count, "/modes", "K - mu M", "modes",
             "That no mode was missed was not counted: the part has too many unknowns, or the "
             "eigenvalues lie too close together.",
             ev);
}

// What every answer holds; of a prestress its balance too.
void Report(Vibration& v) {
  Elasticity& p = v.p;
  Json& out = p.answer.output;
  if (v.prestress) {
    ReportEquilibrium(p);
  } else {
    out["energy"] = 0;
    out["imbalance"] = 0;
    out["loads"] = Json::array();
    for (const Region& r : p.regions) out["loads"].push_back(DescribeRegion(r));
    CheckMesh(p.domain, p.regions, false, p.answer.evidence);
    CheckMaterials(p);
  }
  out["analysis"] = "modal";
  out["order"] = p.space->Order();
  out["unknowns"] = p.constraints->fixed.size();
  out["iterations"] = p.report.iterations + v.inner.iterations;
  out["residual"] = v.residual;
  out["solver"] = DescribeSolver(v.inner);
  out["error_norm"] = v.residual;
}

std::string Summary(const Vibration& v) {
  std::string text = "Natural frequencies";
  if (v.prestress) text += " under the stresses of the loads";
  const int told = std::min(v.wanted, 6);
  for (int i = 0; i < told; i++)
    text += (i ? ", " : " ") + Text(Frequency(v.lambda[i])) + (i + 1 == told ? " Hz" : "");
  if (v.wanted > told) text += " and " + std::to_string(v.wanted - told) + " more";
  if (v.motions.total > 0)
    text += "; beside them " + std::to_string(v.motions.total) + " rigid motions are free";
  return text + ".";
}

}  // namespace

Answer SolveModal(Domain& domain, const Config& config) {
  if (config.Has("probes"))
    throw config.Refuse("probes", "is for static, harmonic and transient analyses")
        .Hint("The shapes of the modes are in the field file.");
  Elasticity p(domain, config);
  Vibration v(p);
  std::vector<PointField> fields;
  if (config.Flag("prestress", false)) {
    v.prestress = ApplyPrestress(p);
    fields = {{"displacement", "m", p.dim, &p.u}, {"von_mises", "Pa", 1, &p.stress.von_mises}};
  } else {
    Prepare(p);
    RefuseLoads(p);
    RequireDensity(p);
    p.options = ReadSolveOptions(config);
  }
  v.wanted = config.Integer("modes", kDefaultModes, 1, kMostModes);
  AssembleVibration(v);
  FindModes(v);
  EmitProgress(0.7, "counting the modes");
  CountModes(v);
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space->Order());
  ev.Note(Provenance("stress recovery") + " Lanczos' method: Spectra.");
  Report(v);
  StateFrequencies(v);
  CheckModes(v);
  CheckWaveSpeed(p);
  WriteShapes(p, v.shapes, v.wanted, fields);
  p.answer.summary = Summary(v);
  return std::move(p.answer);
}

}  // namespace atelier
