#include "fixtures.hpp"

namespace atelier {

mfem::Mesh RandomMesh(const Shape& shape, int n, Random& random, double inner) {
  const double side[3] = {random.Between(0.5, 2), random.Between(0.5, 2), random.Between(0.5, 2)};
  const int d = shape.dimension;
  mfem::Mesh mesh =
      d == 2 ? mfem::Mesh::MakeCartesian2D(n, n, shape.type, true, side[0], side[1])
             : mfem::Mesh::MakeCartesian3D(n, n, n, shape.type, side[0], side[1], side[2]);
  const bool simplex =
      shape.type == mfem::Element::TRIANGLE || mfem::Element::TETRAHEDRON == shape.type;
  double map[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) map[i][j] = (i == j ? 1 : 0) + random.Between(-0.2, 0.2);
  }
  for (int v = 0; v < mesh.GetNV(); v++) {
    double* x = mesh.GetVertex(v);
    bool within = simplex;
    for (int k = 0; k < d; k++) within = within && x[k] > 1e-9 && x[k] < side[k] - 1e-9;
    double moved[3];
    for (int k = 0; k < d; k++)
      moved[k] = x[k] + (within ? random.Between(-inner, inner) * side[k] / n : 0);
    for (int i = 0; i < d; i++) {
      x[i] = 0;
      for (int k = 0; k < d; k++) x[i] += map[i][k] * moved[k];
    }
  }
  return mesh;
}

Eigen::MatrixXd Dense(const BlockCsr& a) {
  const long n = static_cast<long>(a.Size());
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < a.graph->Nodes(); i++) {
    for (int r = 0; r < a.block; r++) {
      for (int k = 0; k < a.graph->Length(i); k++) {
        const int j = a.graph->col[a.graph->ptr[i] + k];
        for (int c = 0; c < a.block; c++)
          m(i * a.block + r, j * a.block + c) = a.Row(i, r)[k * a.block + c];
      }
    }
  }
  return m;
}

Eigen::VectorXd Vector(const Values& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<long>(v.size()));
}

Values RandomValues(size_t n, Random& random) {
  Values v(n);
  for (double& x : v) x = random.Between(-1, 1);
  return v;
}

Polynomial::Polynomial(int dimension, int degree, Random& random)
    : dimension_(dimension), constant_(random.Between(-1, 1)) {
  for (int i = 0; i < dimension; i++) {
    first_[i] = random.Between(-1, 1);
    for (int j = i; j < dimension && degree == 2; j++) second_[i][j] = random.Between(-1, 1);
  }
}

double Polynomial::operator()(const double* x) const {
  double sum = constant_;
  for (int i = 0; i < dimension_; i++) {
    sum += first_[i] * x[i];
    for (int j = i; j < dimension_; j++) sum += second_[i][j] * x[i] * x[j];
  }
  return sum;
}

std::vector<double> Polynomial::Gradient(const double* x) const {
  std::vector<double> g(first_, first_ + dimension_);
  for (int i = 0; i < dimension_; i++) {
    for (int j = 0; j < dimension_; j++) g[i] += SecondDerivative(i, j) * x[j];
  }
  return g;
}

Values AtNodes(const NodalSpace& space, const std::vector<Polynomial>& components) {
  Values v;
  for (int i = 0; i < space.Nodes(); i++) {
    for (const Polynomial& p : components)
      v.push_back(p(&space.Coordinates()[static_cast<size_t>(i) * space.Dimension()]));
  }
  return v;
}

Constraints FixBoundary(const NodalSpace& space, const Values& values) {
  Constraints c(values.size());
  const size_t block = values.size() / space.Nodes();
  for (int b = 0; b < space.Mesh().GetNBE(); b++) {
    for (int node : space.BoundaryDofs(b)) {
      for (size_t k = node * block; k < (node + 1) * block; k++) c.Set(k, values[k]);
    }
  }
  return c;
}

mfem::Mesh Annulus(int n, int split, int dimension, double height) {
  const int around = n * split, layers = dimension == 3 ? 2 : 0;
  mfem::Mesh mesh(dimension, 2 * around * (layers + 1), around * std::max(layers, 1));
  for (int z = 0; z <= layers; z++) {
    for (int i = 0; i < around; i++) {
      const double from = 2 * M_PI * (i / split) / n, to = from + 2 * M_PI / n;
      const double s = double(i % split) / split;
      for (double r : {0.5, 1.0}) {
        const double x[] = {r * ((1 - s) * std::cos(from) + s * std::cos(to)),
                            r * ((1 - s) * std::sin(from) + s * std::sin(to)), z * height / 2};
        mesh.AddVertex(x);
      }
    }
  }
  for (int i = 0; i < around; i++) {
    const int a = 2 * i, b = 2 * ((i + 1) % around), up = 2 * around;
    if (dimension == 2) mesh.AddQuad(a, a + 1, b + 1, b);
    for (int z = 0; z < layers; z++) {
      const int o = z * up;
      mesh.AddHex(o + a, o + a + 1, o + b + 1, o + b, o + up + a, o + up + a + 1, o + up + b + 1,
                  o + up + b);
    }
  }
  mesh.FinalizeTopology();
  mesh.Finalize(false, false);
  return mesh;
}

}  // namespace atelier
