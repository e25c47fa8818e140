#include "stress_lines.hpp"

#include <array>
#include <cmath>
#include <fstream>

#include "elasticity.hpp"
#include "spatial.hpp"

namespace atelier {
namespace {

constexpr int kIntervals = 120;      // of Simpson's rule along a line
constexpr double kShortest = 1e-9;   // of the part's size: a line with a length
constexpr double kTakesPart = 1e-9;  // weight of a node in a value
constexpr const char* kTable = "stress_lines.csv";
constexpr const char* kMethod =
    "recovered stresses along the line, linearised (ASME BPVC VIII-2, annex 5-A)";

using StressTensor = std::array<double, kStressComponents>;  // Pa, as StressField::tensor

StressTensor Plus(const StressTensor& a, double factor, const StressTensor& b) {
  StressTensor out;
  for (int c = 0; c < kStressComponents; c++) out[c] = a[c] + factor * b[c];
  return out;
}

double VonMises(const StressTensor& s) { return atelier::VonMises(s.data()); }

// The part of a stress that acts in the plane across a direction of length 1.
StressTensor Across(const StressTensor& s, const Vector3& n) {
  Matrix3 full;
  full << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
  const Matrix3 p = Matrix3::Identity() - n * n.transpose(), a = p * full * p;
  return {a(0, 0), a(1, 1), a(2, 2), a(0, 1), a(1, 2), a(0, 2)};
}

// Of a line of length 1: sigma = membrane + (1 - 2 x) bending + the rest. Stresses along the
// line and shear across it do not bend the wall, and have no bending part.
struct Linearised {
  StressTensor membrane = {}, bending = {};
};

Linearised Linearise(const std::vector<StressTensor>& s, const Vector3& along) {
  Linearised out;
  for (int i = 0; i <= kIntervals; i++) {
    const double x = static_cast<double>(i) / kIntervals, w = (i == 0 || i == kIntervals ? 1.0
                                                               : i % 2 == 1              ? 4.0
                                                                                         : 2.0) /
                                                              (3 * kIntervals);
    out.membrane = Plus(out.membrane, w, s[i]);
    out.bending = Plus(out.bending, 6 * w * (0.5 - x), s[i]);
  }
  out.bending = Across(out.bending, along);
  return out;
}

// Whether each node lies between materials.
std::vector<char> BetweenMaterials(const Elasticity& p) {
  std::vector<int> first(p.space->Nodes(), -1);
  std::vector<char> between(p.space->Nodes(), 0);
  for (int e = 0; e < p.space->Elements(); e++) {
    for (int a = 0; a < p.space->Count(e); a++) {
      int& m = first[p.space->Dofs(e)[a]];
      if (m < 0) m = p.materials.material[e];
      if (m != p.materials.material[e]) between[p.space->Dofs(e)[a]] = 1;
    }
  }
  return between;
}

void CheckBody(Elasticity& p, const Probes& samples, const std::string& place,
               const std::vector<char>& between) {
  for (int i = 0; i < samples.Count(); i++) {
    for (const auto& [node, weight] : samples.Weights(i, *p.space)) {
      if (!between[node] || std::abs(weight) < kTakesPart) continue;
      p.answer.evidence.Holds(
          "line_within_material", "model", place, false,
          "The line crosses or touches a face between two materials, where stresses jump and "
          "the nodes have those of the more stressed one. Draw a line within each material that "
          "ends an element before the face.");
      return;
    }
  }
}

void StateLine(Elasticity& p, const std::string& place, const Linearised& l, Json& line) {
  const std::string name = "of line " + place.substr(place.rfind('/') + 1);
  const StressTensor start = Plus(l.membrane, 1, l.bending), end = Plus(l.membrane, -1, l.bending);
  line["membrane"] = {{"von_mises", VonMises(l.membrane)}, {"stress", l.membrane}};
  line["bending"] = {{"von_mises", VonMises(l.bending)}, {"stress", l.bending}};
  line["membrane_plus_bending"] = {{"from", VonMises(start)}, {"to", VonMises(end)}};
  Evidence& ev = p.answer.evidence;
  ev.State({"membrane stress (von Mises) " + name, place + "/membrane/von_mises",
            VonMises(l.membrane), "Pa", kMethod});
  for (const char* side : {"from", "to"})
    ev.State({"membrane plus bending stress (von Mises) " + name + " at its end " + side,
              place + "/membrane_plus_bending/" + side,
              line["membrane_plus_bending"][side].get<double>(), "Pa", kMethod});
}

void WriteRow(std::ofstream& table, size_t line, double distance, const std::vector<double>& at,
              const StressTensor& s) {
  table << line << "," << Text(distance, 10);
  for (double x : at) table << "," << Text(x, 10);
  for (double c : s) table << "," << Text(c, 10);
  table << "," << Text(VonMises(s), 10) << "\n";
}

}  // namespace

StressLines::StressLines(const Domain& domain, const Config& config) {
  if (!config.Has("stress_lines")) return;
  const int dim = domain.Dimension();
  const std::string hint =
      "A line goes through one wall, from one of its faces to the other. Numbers are in the mesh's "
      "unit (" +
      domain.length_unit + "); write \"2 mm\" for another.";
  for (const Config& c : config.List("stress_lines")) {
    Line line = {c.Lengths("from", dim, domain.metres_per_unit),
                 c.Lengths("to", dim, domain.metres_per_unit), Probes()};
    if ((Spatial(line.to) - Spatial(line.from)).norm() <= kShortest * domain.Diagonal())
      throw c.Refuse("to", "is the same place as from").Hint(hint);
    Probes(domain, {line.from, line.to}, [&](int i, const std::string& distance) {
      return c.Refuse(i == 0 ? "from" : "to", "lies about " + distance + " outside the mesh")
          .Hint(hint);
    });
    std::vector<std::vector<double>> points;
    for (int i = 0; i <= kIntervals; i++) {
      points.push_back(line.from);
      for (int k = 0; k < dim; k++)
        points.back()[k] += (line.to[k] - line.from[k]) * i / kIntervals;
    }
    line.samples = Probes(domain, points, [&](int i, const std::string& distance) {
      return Error(codes::kInvalidInput,
                   "the line leaves the part: " + Text(100.0 * i / kIntervals, 3) +
                       " % of the way along it lies about " + distance + " outside the mesh")
          .At(c.Pointer())
          .Hint(hint);
    });
    lines_.push_back(std::move(line));
  }
}

void StressLines::State(Elasticity& p) const {
  if (lines_.empty()) return;
  std::ofstream table;
  if (!p.domain.refined) {
    table.open(kTable);
    table << "line,distance_m";
    for (int c = 0; c < p.dim; c++) table << "," << "xyz"[c] << "_m";
    table << ",xx_Pa,yy_Pa,zz_Pa,xy_Pa,yz_Pa,xz_Pa,von_mises_Pa\n";
    p.answer.artifacts.push_back({{"name", kTable}, {"mime_type", "text/csv"}});
  }
  const std::vector<char> between = BetweenMaterials(p);
  Json list = Json::array();
  for (size_t k = 0; k < lines_.size(); k++) {
    const Line& line = lines_[k];
    const Vector3 span = Spatial(line.to) - Spatial(line.from);
    std::vector<StressTensor> stress;
    for (int i = 0; i <= kIntervals; i++) {
      const Values s = line.samples.At(i, *p.space, kStressComponents, p.stress.tensor);
      stress.emplace_back();
      std::copy(s.begin(), s.end(), stress.back().begin());
      if (!p.domain.refined)
        WriteRow(table, k, span.norm() * i / kIntervals, line.samples.Point(i), stress.back());
    }
    const std::string place = "/stress_lines/" + std::to_string(k);
    Json out = {{"from", line.from},
                {"to", line.to},
                {"length", span.norm()},
                {"total", {{"from", VonMises(stress.front())}, {"to", VonMises(stress.back())}}},
                {"table", kTable},
                {"unit", "Pa"}};
    StateLine(p, place, Linearise(stress, span.normalized()), out);
    CheckBody(p, line.samples, place, between);
    list.push_back(out);
  }
  p.answer.output["stress_lines"] = list;
}

}  // namespace atelier
