// Reads the tables that CalculiX prints, and recovers the stresses at the nodes from those at
// its integration points.
#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "calculix.hpp"

namespace atelier {
namespace {

constexpr int kPointValues = kStressComponents + 1;  // the stress and the plastic strain
// Places in VTK's order of xx, yy, zz, xy, xz, yz.
constexpr int kComponent[] = {0, 1, 2, 3, 5, 4};

struct Point {
  double x[3] = {};
  double value[kPointValues] = {};
};
using Points = std::vector<std::vector<Point>>;  // by element

// Numbers of a line; an exponent of three digits is printed without its letter.
int Numbers(const char* text, std::array<double, 8>& out) {
  int count = 0;
  char* end = nullptr;
  while (count < static_cast<int>(out.size())) {
    const double x = std::strtod(text, &end);
    if (end == text) break;
    const bool tiny = *end == '-';
    out[count++] = tiny ? 0 : x;
    for (text = end; tiny && *text != ' ' && *text != '\0';) text++;
  }
  return count;
}

// Calls row(title, numbers) for every line of every table.
void ReadTables(const std::string& file,
                const std::function<void(const std::string&, const std::array<double, 8>&)>& row) {
  std::ifstream in(file);
  std::string line, title;
  std::array<double, 8> numbers{};
  while (std::getline(in, line)) {
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    if (std::isalpha(static_cast<unsigned char>(line[first]))) {
      title = line.substr(first, line.find('(') - first - 1);
    } else if (Numbers(line.c_str(), numbers) > 1) {
      row(title, numbers);
    }
  }
}

// The linear function that fits an element's points best, as its values at x.
class Fit {
 public:
  Fit(const std::vector<Point>& points, int dim) : dim_(dim) {
    for (const Point& p : points) {
      for (int k = 0; k < dim; k++) centre_[k] += p.x[k] / static_cast<double>(points.size());
    }
    for (const Point& p : points) {
      for (int k = 0; k < dim; k++) scale_ = std::max(scale_, std::abs(p.x[k] - centre_[k]));
    }
    if (scale_ == 0) scale_ = 1;
    Eigen::MatrixXd a(points.size(), dim + 1), b(points.size(), kPointValues);
    for (size_t i = 0; i < points.size(); i++) {
      a.row(i) = Row(points[i].x);
      for (int c = 0; c < kPointValues; c++) b(i, c) = points[i].value[c];
    }
    // Of few points the function with the least slope.
    coefficients_ = a.completeOrthogonalDecomposition().solve(b);
  }
  Eigen::RowVectorXd At(const double* x) const { return Row(x) * coefficients_; }

 private:
  Eigen::RowVectorXd Row(const double* x) const {
    Eigen::RowVectorXd row(dim_ + 1);
    row(0) = 1;
    for (int k = 0; k < dim_; k++) row(k + 1) = (x[k] - centre_[k]) / scale_;
    return row;
  }

  int dim_;
  double centre_[3] = {}, scale_ = 0;
  Eigen::MatrixXd coefficients_;
};

// Means at the nodes over the elements of one material, weighted by volume.
void Average(const Elasticity& p, const Points& points, int m, CalculixResults& r) {
  const NodalSpace& space = *p.space;
  const size_t nodes = space.Nodes();
  Values sum(nodes * kPointValues, 0.0), weight(nodes, 0.0), low(nodes, INFINITY), high(nodes, 0.0);
  for (int e = 0; e < space.Elements(); e++) {
    if (p.materials.material[e] != m) continue;
    const Fit fit(points[e], p.dim);
    const double volume = space.Mesh().GetElementVolume(e);
    for (int a = 0; a < space.Count(e); a++) {
      const size_t node = space.Dofs(e)[a];
      const Eigen::RowVectorXd at = fit.At(&space.Coordinates()[node * p.dim]);
      for (int c = 0; c < kPointValues; c++) sum[node * kPointValues + c] += volume * at(c);
      weight[node] += volume;
      const double von_mises = VonMises(at.data());
      low[node] = std::min(low[node], von_mises);
      high[node] = std::max(high[node], von_mises);
    }
  }
  for (size_t n = 0; n < nodes; n++) {
    if (weight[n] == 0) continue;
    r.stress.weight[n] += weight[n];
    r.stress.spread[n] = std::max(r.stress.spread[n], high[n] - low[n]);
    for (int c = 0; c < kStressComponents; c++)
      r.stress.tensor[n * kStressComponents + c] += sum[n * kPointValues + c];
    double& plastic = r.plastic_strain[n];
    plastic = std::max(plastic, sum[n * kPointValues + kStressComponents] / weight[n]);
  }
}

void Recover(const Elasticity& p, const Points& points, CalculixResults& r) {
  const size_t nodes = p.space->Nodes();
  StressField& s = r.stress;
  s.tensor.assign(nodes * kStressComponents, 0.0);
  s.weight.assign(nodes, 0.0);
  s.spread.assign(nodes, 0.0);
  s.von_mises.assign(nodes, 0.0);
  r.plastic_strain.assign(nodes, 0.0);
  const auto& material = p.materials.material;
  for (int m = 0; m <= *std::max_element(material.begin(), material.end()); m++)
    Average(p, points, m, r);
  for (size_t n = 0; n < nodes; n++) {
    double* t = &s.tensor[n * kStressComponents];
    for (int c = 0; c < kStressComponents; c++) t[c] /= s.weight[n];
    s.von_mises[n] = VonMises(t);
  }
}

// Green's strain (H + H^T + H^T H) / 2, H the gradient of the displacement.
double LargestStrain(const Elasticity& p, const Values& u) {
  double largest = 0;
  ForEachElement(*p.space, ElementKernel(*p.space, GradientDegree(*p.space)),
                 [&](int, const LocalShapes& s) {
                   for (int q = 0; q < s.points; q++) {
                     Eigen::Matrix3d h = Eigen::Matrix3d::Zero();
                     for (int a = 0; a < s.dofs; a++) {
                       for (int i = 0; i < p.dim; i++) {
                         for (int k = 0; k < p.dim; k++)
                           h(i, k) += u[static_cast<size_t>(s.dof[a]) * p.dim + i] *
                                      s.gradient[(static_cast<size_t>(q) * s.dofs + a) * p.dim + k];
                       }
                     }
                     const Eigen::Matrix3d green = 0.5 * (h + h.transpose() + h.transpose() * h);
                     largest = std::max(largest, green.cwiseAbs().maxCoeff());
                   }
                 });
  return largest;
}

}  // namespace

CalculixResults ReadCalculix(const Elasticity& p, const CalculixModel& model,
                             const std::string& file) {
  CalculixResults r;
  r.u.assign(p.constraints->fixed.size(), 0.0);
  r.forces.assign(r.u.size(), 0.0);
  Points points(p.space->Elements());
  std::vector<size_t> place(points.size(), 0);
  const double thickness = model.Thickness();
  auto point = [&](const std::array<double, 8>& row) -> Point& {
    auto& list = points[static_cast<size_t>(row[0]) - 1];
    const size_t i = static_cast<size_t>(row[1]);
    if (list.size() < i) list.resize(i);
    return list[i - 1];
  };
  ContactReader contacts(p, model);
  ReadTables(file, [&](const std::string& title, const std::array<double, 8>& row) {
    const int number = static_cast<int>(row[0]);
    const size_t first = static_cast<size_t>(model.Node(std::max(number, 1))) * p.dim;
    if (title == "displacements" && model.Original(number)) {
      for (int c = 0; c < p.dim; c++) r.u[first + c] = row[c + 1];
    } else if (title == "forces") {
      for (int c = 0; c < p.dim; c++) r.forces[first + c] += row[c + 1] / thickness;
    } else if (title == "stresses") {
      for (int c = 0; c < kStressComponents; c++) point(row).value[kComponent[c]] = row[c + 2];
    } else if (title == "global coordinates") {
      for (int k = 0; k < 3; k++) point(row).x[k] = row[k + 2];
    } else if (title == "equivalent plastic strain") {
      point(row).value[kStressComponents] = row[2];
    } else if (title == "internal energy") {
      r.energy += row[1] / thickness;
    } else {
      contacts.Row(title, row);
    }
  });
  r.contacts = contacts.Take();
  for (const auto& list : points) {
    if (list.empty()) throw Error(codes::kSolverFailed, "CalculiX has printed no stresses");
  }
  model.Complete(r.u);
  Recover(p, points, r);
  if (!IsPlastic(p)) r.plastic_strain.clear();
  r.strain = LargestStrain(p, r.u);
  return r;
}

}  // namespace atelier
