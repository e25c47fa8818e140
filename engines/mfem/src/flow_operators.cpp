#include "flow_operators.hpp"

#include <cmath>
#include <map>

namespace atelier {
namespace {

// Of order 2 times its gradient times order 2.
int ConvectionDegree(const NodalSpace& velocity) { return velocity.StraightSimplices() ? 5 : 7; }

void Transpose(int rows, int cols, int width, const std::vector<size_t>& ptr,
               const std::vector<int>& col, const Values& val, std::vector<size_t>& tptr,
               std::vector<int>& tcol, Values& tval) {
  tptr.assign(cols + 1, 0);
  for (int c : col) tptr[c + 1]++;
  for (int i = 0; i < cols; i++) tptr[i + 1] += tptr[i];
  tcol.resize(col.size());
  tval.resize(val.size());
  std::vector<size_t> at(tptr.begin(), tptr.end() - 1);
  for (int i = 0; i < rows; i++) {
    for (size_t k = ptr[i]; k < ptr[i + 1]; k++) {
      const size_t to = at[col[k]]++;
      tcol[to] = i;
      for (int c = 0; c < width; c++) tval[to * width + c] = val[k * width + c];
    }
  }
}

// Calls visit(dofs, shape, w, normal with |normal| = surface element) at the points of a region.
template <class Visit>
void OverRegion(const NodalSpace& space, const Region& region, int degree, Visit visit) {
  mfem::Mesh& mesh = space.Mesh();
  mfem::Vector shape, normal(space.Dimension());
  for (int f : region.faces) {
    const std::vector<int> dofs = space.BoundaryDofs(f);
    const mfem::FiniteElement& fe = *space.Fes().GetBE(f);
    mfem::ElementTransformation* t = mesh.GetBdrElementTransformation(f);
    const mfem::IntegrationRule& rule = mfem::IntRules.Get(fe.GetGeomType(), degree);
    shape.SetSize(fe.GetDof());
    for (int q = 0; q < rule.GetNPoints(); q++) {
      t->SetIntPoint(&rule.IntPoint(q));
      fe.CalcShape(rule.IntPoint(q), shape);
      mfem::CalcOrtho(t->Jacobian(), normal);
      visit(dofs, shape, rule.IntPoint(q).weight, normal);
    }
  }
}

}  // namespace

Divergence::Divergence(const NodalSpace& velocity, const NodalSpace& pressure)
    : dimension(velocity.Dimension()) {
  const ElementKernel gradients(velocity, ConvectionDegree(velocity)),
      shapes(pressure, ConvectionDegree(velocity));
  std::vector<std::map<int, std::array<double, 3>>> rows(pressure.Nodes());
  LocalShapes v, q;
  for (int e = 0; e < velocity.Elements(); e++) {
    gradients.Evaluate(e, v);
    shapes.Evaluate(e, q);
    for (int i = 0; i < q.dofs; i++) {
      for (int j = 0; j < v.dofs; j++) {
        auto& entry = rows[q.dof[i]][v.dof[j]];
        for (int k = 0; k < v.points; k++) {
          const double w = v.measure[k] * q.shape[static_cast<size_t>(k) * q.dofs + i];
          for (int c = 0; c < dimension; c++)
            entry[c] += w * v.gradient[(static_cast<size_t>(k) * v.dofs + j) * dimension + c];
        }
      }
    }
  }
  ptr.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [node, value] : row) {
      col.push_back(node);
      val.insert(val.end(), value.begin(), value.begin() + dimension);
    }
    ptr.push_back(col.size());
  }
  Transpose(pressure.Nodes(), velocity.Nodes(), dimension, ptr, col, val, transposed_ptr,
            transposed_col, transposed_val);
}

void Divergence::Multiply(const Values& u, Values& q) const {
  const int rows = static_cast<int>(ptr.size()) - 1;
  q.resize(rows);
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    double s = 0;
    for (size_t k = ptr[i]; k < ptr[i + 1]; k++) {
      for (int c = 0; c < dimension; c++)
        s += val[k * dimension + c] * u[static_cast<size_t>(col[k]) * dimension + c];
    }
    q[i] = s;
  }
}

void Divergence::TransposeMultiply(const Values& p, Values& v) const {
  const int rows = static_cast<int>(transposed_ptr.size()) - 1;
  v.resize(static_cast<size_t>(rows) * dimension);
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    double s[3] = {};
    for (size_t k = transposed_ptr[i]; k < transposed_ptr[i + 1]; k++) {
      for (int c = 0; c < dimension; c++)
        s[c] += transposed_val[k * dimension + c] * p[transposed_col[k]];
    }
    for (int c = 0; c < dimension; c++) v[static_cast<size_t>(i) * dimension + c] = s[c];
  }
}

void AddConvection(const NodalSpace& velocity, const Values& w, double density, BlockCsr& a) {
  const ElementKernel kernel(velocity, ConvectionDegree(velocity));
  const int d = velocity.Dimension();
  AddElementMatrices(velocity, kernel, a, [&](int, const LocalShapes& s, double* m) {
    for (int q = 0; q < s.points; q++) {
      const double* shape = s.shape + static_cast<size_t>(q) * s.dofs;
      const double* g = &s.gradient[static_cast<size_t>(q) * s.dofs * d];
      double at[3] = {}, divergence = 0;
      for (int j = 0; j < s.dofs; j++) {
        const double* wj = &w[static_cast<size_t>(s.dof[j]) * d];
        for (int c = 0; c < d; c++) {
          at[c] += shape[j] * wj[c];
          divergence += g[j * d + c] * wj[c];
        }
      }
      for (int j = 0; j < s.dofs; j++) {
        double along = 0.5 * divergence * shape[j];
        for (int c = 0; c < d; c++) along += at[c] * g[j * d + c];
        along *= density * s.measure[q];
        for (int i = 0; i < s.dofs; i++) m[i * s.dofs + j] += along * shape[i];
      }
    }
  });
}

void AddPressureConvection(const FlowSpaces& spaces, const Values& w, double density, BlockCsr& a) {
  const ElementKernel kernel(spaces.pressure, 4), carrier(spaces.velocity, 4);
  const int d = spaces.pressure.Dimension();
  AddElementMatrices(spaces.pressure, kernel, a, [&](int e, const LocalShapes& s, double* m) {
    thread_local LocalShapes v;
    carrier.Evaluate(e, v);
    for (int q = 0; q < s.points; q++) {
      double at[3] = {};
      for (int j = 0; j < v.dofs; j++) {
        for (int c = 0; c < d; c++)
          at[c] += v.shape[static_cast<size_t>(q) * v.dofs + j] *
                   w[static_cast<size_t>(v.dof[j]) * d + c];
      }
      for (int j = 0; j < s.dofs; j++) {
        double along = 0;
        for (int c = 0; c < d; c++)
          along += at[c] * s.gradient[(static_cast<size_t>(q) * s.dofs + j) * d + c];
        for (int i = 0; i < s.dofs; i++)
          m[i * s.dofs + j] +=
              density * s.measure[q] * along * s.shape[static_cast<size_t>(q) * s.dofs + i];
      }
    }
  });
}

void AddBackflow(const NodalSpace& velocity, const Region& outlet, const Values& w, double density,
                 BlockCsr& a) {
  const int d = velocity.Dimension();
  OverRegion(velocity, outlet, 6,
             [&](const std::vector<int>& dofs, const mfem::Vector& shape, double weight,
                 const mfem::Vector& n) {
               double through = 0;
               for (size_t j = 0; j < dofs.size(); j++) {
                 for (int c = 0; c < d; c++)
                   through += shape(j) * w[static_cast<size_t>(dofs[j]) * d + c] * n(c);
               }
               if (through >= 0) return;
               for (size_t i = 0; i < dofs.size(); i++) {
                 for (size_t j = 0; j < dofs.size(); j++) {
                   a.Row(dofs[i], 0)[a.graph->Find(dofs[i], dofs[j])] -=
                       0.5 * density * weight * through * shape(i) * shape(j);
                 }
               }
             });
}

void AddPressure(const NodalSpace& velocity, const Region& region, const Values& p, Values& load) {
  const int d = velocity.Dimension();
  OverRegion(velocity, region, 6,
             [&](const std::vector<int>& dofs, const mfem::Vector& shape, double weight,
                 const mfem::Vector& n) {
               double pressure = 0;
               for (size_t j = 0; j < dofs.size(); j++) pressure += shape(j) * p[dofs[j]];
               for (size_t j = 0; j < dofs.size(); j++) {
                 for (int c = 0; c < d; c++)
                   load[static_cast<size_t>(dofs[j]) * d + c] -=
                       weight * pressure * shape(j) * n(c);
               }
             });
}

double FlowRate(const NodalSpace& velocity, const Region& region, const Values& u) {
  const int d = velocity.Dimension();
  double sum = 0;
  OverRegion(velocity, region, 4,
             [&](const std::vector<int>& dofs, const mfem::Vector& shape, double weight,
                 const mfem::Vector& n) {
               for (size_t j = 0; j < dofs.size(); j++) {
                 for (int c = 0; c < d; c++)
                   sum += weight * shape(j) * n(c) * u[static_cast<size_t>(dofs[j]) * d + c];
               }
             });
  return sum;
}

double MeanPressure(const NodalSpace& pressure, const Region& region, const Values& p) {
  double sum = 0, area = 0;
  OverRegion(pressure, region, 2,
             [&](const std::vector<int>& dofs, const mfem::Vector& shape, double weight,
                 const mfem::Vector& n) {
               const double w = weight * n.Norml2();
               area += w;
               for (size_t j = 0; j < dofs.size(); j++) sum += w * shape(j) * p[dofs[j]];
             });
  return sum / area;
}

}  // namespace atelier
