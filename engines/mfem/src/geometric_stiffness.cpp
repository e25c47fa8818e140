#include "geometric_stiffness.hpp"

#include "displacement_gradient.hpp"

namespace atelier {

Geometric::Geometric(const NodalSpace& space, const Values& u, const Lame& lame,
                     const InitialStrain& initial)
    : space_(space), kernel_(space, GradientDegree(space) + space.Order() - 1) {
  const int dim = space.Dimension();
  ForEachElement(space, kernel_, [&](int e, const LocalShapes& s) {
    offset_.push_back(stress_.size());
    for (int q = 0; q < s.points; q++) {
      const Tensor stress =
          ElasticStress(Symmetric(DisplacementGradient(dim, s, q, u)), lame, e, s, q, initial);
      for (int i = 0; i < dim; i++) {
        for (int k = 0; k < dim; k++) stress_.push_back(s.measure[q] * stress.a[i][k]);
      }
    }
  });
}

Values Geometric::operator()(const Values& v) const {
  const int dim = space_.Dimension();
  Values out(v.size(), 0.0);
  const double* stress = stress_.data();
  ForEachElement(space_, kernel_, [&](int, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++, stress += dim * dim) {
      const Tensor h = DisplacementGradient(dim, s, q, v);
      for (int i = 0; i < dim; i++) {
        double flux[3] = {};
        for (int k = 0; k < dim; k++) {
          for (int l = 0; l < dim; l++) flux[k] += h.a[i][l] * stress[l * dim + k];
        }
        for (int a = 0; a < s.dofs; a++) {
          const double* shape = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
          for (int k = 0; k < dim; k++)
            out[static_cast<size_t>(s.dof[a]) * dim + i] -= flux[k] * shape[k];
        }
      }
    }
  });
  return out;
}

void Geometric::AddTo(BlockCsr& matrix, double factor) const {
  const int dim = space_.Dimension();
  AddElementMatrices(space_, kernel_, matrix, [&](int e, const LocalShapes& s, double* m) {
    const double* stress = &stress_[offset_[e]];
    for (int q = 0; q < s.points; q++, stress += dim * dim) {
      const double* shape = &s.gradient[static_cast<size_t>(q) * s.dofs * dim];
      for (int a = 0; a < s.dofs; a++) {
        double flux[3] = {};
        for (int k = 0; k < dim; k++) {
          for (int l = 0; l < dim; l++)
            flux[k] += factor * shape[a * dim + l] * stress[l * dim + k];
        }
        for (int b = 0; b < s.dofs; b++) {
          double product = 0;
          for (int k = 0; k < dim; k++) product += flux[k] * shape[b * dim + k];
          for (int c = 0; c < dim; c++)
            m[((static_cast<size_t>(a) * s.dofs + b) * dim + c) * dim + c] += product;
        }
      }
    }
  });
}

}  // namespace atelier
