// The developed profile of an inlet of any shape.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <map>

#include "flow_operators.hpp"

namespace atelier {
namespace {

// -laplace(phi) = 1 on the region's faces, phi = 0 at the held nodes.
struct SurfacePoisson {
  std::map<int, int> number;  // velocity node -> row
  std::vector<char> held;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd load, weight;  // int v without and with the held rows

  SurfacePoisson(const NodalSpace& velocity, const Region& region, const std::vector<int>& rim) {
    for (int f : region.faces) {
      for (int node : velocity.BoundaryDofs(f)) number.emplace(node, 0);
    }
    int count = 0;
    for (auto& [node, row] : number) row = count++;
    held.assign(count, 0);
    for (int node : rim) {
      auto it = number.find(node);
      if (it != number.end()) held[it->second] = 1;
    }
    load = weight = Eigen::VectorXd::Zero(count);
    for (int f : region.faces) AddFace(velocity, f);
    for (int i = 0; i < count; i++) {
      if (held[i]) entries.emplace_back(i, i, 1.0);
    }
  }

  void AddFace(const NodalSpace& velocity, int f) {
    const std::vector<int> dofs = velocity.BoundaryDofs(f);
    const mfem::FiniteElement& fe = *velocity.Fes().GetBE(f);
    mfem::ElementTransformation* t = velocity.Mesh().GetBdrElementTransformation(f);
    const mfem::IntegrationRule& rule = mfem::IntRules.Get(fe.GetGeomType(), 4);
    mfem::Vector shape(fe.GetDof());
    mfem::DenseMatrix dshape(fe.GetDof(), velocity.Dimension());
    for (int q = 0; q < rule.GetNPoints(); q++) {
      t->SetIntPoint(&rule.IntPoint(q));
      fe.CalcShape(rule.IntPoint(q), shape);
      fe.CalcPhysDShape(*t, dshape);
      const double w = rule.IntPoint(q).weight * t->Weight();
      for (int i = 0; i < fe.GetDof(); i++) {
        const int row = number[dofs[i]];
        weight[row] += w * shape(i);
        if (held[row]) continue;
        load[row] += w * shape(i);
        for (int j = 0; j < fe.GetDof(); j++) {
          const int column = number[dofs[j]];
          if (held[column]) continue;
          double dot = 0;
          for (int c = 0; c < velocity.Dimension(); c++) dot += dshape(i, c) * dshape(j, c);
          entries.emplace_back(row, column, w * dot);
        }
      }
    }
  }
};

}  // namespace

Values DevelopedProfile(const NodalSpace& velocity, const Region& region,
                        const std::vector<int>& rim) {
  SurfacePoisson problem(velocity, region, rim);
  Eigen::SparseMatrix<double> a(problem.load.size(), problem.load.size());
  a.setFromTriplets(problem.entries.begin(), problem.entries.end());
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper> cg(a);
  cg.setTolerance(1e-12);
  const Eigen::VectorXd phi = cg.solve(problem.load);
  const double mean = phi.dot(problem.weight) / region.area;
  if (!(mean > 0)) {
    throw Error(codes::kInvalidInput,
                "the inlet touches no wall, so that it has no developed profile")
        .At(region.config.Pointer("profile"));
  }
  Values profile(velocity.Nodes(), 0.0);
  for (const auto& [node, row] : problem.number) profile[node] = phi[row] / mean;
  return profile;
}

}  // namespace atelier
