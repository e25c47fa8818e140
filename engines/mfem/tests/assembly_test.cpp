// Element matrices against closed forms, and assembled ones against MFEM's own
// integrators, which share no code with ours beyond the shape functions.
#include "assembly.hpp"

#include <doctest/doctest.h>

#include "fixtures.hpp"

namespace atelier {
namespace {

mfem::Mesh OneSimplex(int d, Random& random) {
  mfem::Mesh mesh(d, d + 1, 1, 0);
  int vertices[4] = {0, 1, 2, 3};
  for (int v = 0; v <= d; v++) {
    double x[3];  // near the corner of a cube: never flat
    for (int k = 0; k < d; k++) x[k] = (v == k + 1 ? 1 : 0) + random.Between(-0.2, 0.2);
    mesh.AddVertex(x);
  }
  d == 2 ? mesh.AddTriangle(vertices) : mesh.AddTet(vertices);
  mesh.FinalizeTopology();
  mesh.Finalize(false, false);
  return mesh;
}

// Gradients of the barycentric coordinates are rows of the inverse of (1, x).
Eigen::MatrixXd BarycentricGradients(mfem::Mesh& mesh, double& measure) {
  const int d = mesh.Dimension();
  Eigen::MatrixXd m(d + 1, d + 1);
  for (int v = 0; v <= d; v++) {
    m(v, 0) = 1;
    for (int k = 0; k < d; k++) m(v, k + 1) = mesh.GetVertex(v)[k];
  }
  measure = std::abs(m.determinant()) / (d == 2 ? 2 : 6);
  return m.inverse().bottomRows(d).transpose();
}

TEST_CASE("the matrices of a linear simplex are those of the closed form") {
  Random random(1);
  for (int d : {2, 3}) {
    CAPTURE(d);
    mfem::Mesh mesh = OneSimplex(d, random);
    const NodalSpace space(mesh, 1);
    double volume;
    const Eigen::MatrixXd g = BarycentricGradients(mesh, volume);
    const double k = random.Between(0.1, 10), c = random.Between(0.1, 10),
                 lambda = random.Between(0.1, 5), mu = random.Between(0.1, 5);

    BlockCsr a(MakeGraph(space), 1);
    AddDiffusionMass(space, {k}, {c}, a);
    const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(d + 1, d + 1);
    const Eigen::MatrixXd mass =
        c * volume / ((d + 1) * (d + 2)) * (ones + Eigen::MatrixXd::Identity(d + 1, d + 1));
    const Eigen::MatrixXd expected = k * volume * g * g.transpose() + mass;
    CHECK((Dense(a) - expected).norm() <= 1e-13 * expected.norm());

    // B^T D B V, with a row of B per strain xx, yy(, zz) and per doubled shear.
    const int shears = d == 2 ? 1 : 3;
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(d + shears, (d + 1) * d);
    for (int v = 0; v <= d; v++) {
      int row = d;
      for (int i = 0; i < d; i++) b(i, v * d + i) = g(v, i);
      for (int i = 0; i < d; i++) {
        for (int j = i + 1; j < d; j++, row++) {
          b(row, v * d + i) = g(v, j);
          b(row, v * d + j) = g(v, i);
        }
      }
    }
    Eigen::MatrixXd hooke = Eigen::MatrixXd::Zero(d + shears, d + shears);
    hooke.topLeftCorner(d, d).setConstant(lambda);
    for (int i = 0; i < d + shears; i++) hooke(i, i) += i < d ? 2 * mu : mu;
    const Eigen::MatrixXd stiffness = volume * b.transpose() * hooke * b;
    const BlockCsr e = AssembleElasticity(space, MakeGraph(space), {{lambda}, {mu}});
    CHECK((Dense(e) - stiffness).norm() <= 1e-13 * stiffness.norm());
  }
}

struct Coefficients {
  Values lambda, mu;
  mfem::Vector by_attribute_lambda, by_attribute_mu;
};

// A value per element, which MFEM's coefficients take by attribute.
Coefficients RandomCoefficients(mfem::Mesh& mesh, Random& random) {
  Coefficients c;
  c.lambda = c.mu = Values(mesh.GetNE());
  c.by_attribute_lambda.SetSize(mesh.GetNE());
  c.by_attribute_mu.SetSize(mesh.GetNE());
  for (int e = 0; e < mesh.GetNE(); e++) {
    mesh.SetAttribute(e, e + 1);
    c.by_attribute_lambda(e) = c.lambda[e] = random.Between(0.1, 10);
    c.by_attribute_mu(e) = c.mu[e] = random.Between(0.1, 10);
  }
  mesh.SetAttributes();
  return c;
}

Eigen::MatrixXd MfemMatrix(mfem::BilinearForm& form) {
  form.Assemble();
  form.Finalize();
  mfem::DenseMatrix m;
  form.SpMat().ToDenseMatrix(m);
  Eigen::MatrixXd out(m.Height(), m.Width());
  for (int i = 0; i < m.Height(); i++) {
    for (int j = 0; j < m.Width(); j++) out(i, j) = m(i, j);
  }
  return out;
}

TEST_CASE("the assembled matrices are those of MFEM's integrators") {
  Random random(2);
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      mfem::Mesh mesh = RandomMesh(shape, 2, random);
      Coefficients c = RandomCoefficients(mesh, random);
      const NodalSpace space(mesh, order);
      mfem::PWConstCoefficient lambda(c.by_attribute_lambda), mu(c.by_attribute_mu);
      // The same quadrature, where a rule is not exact: cells of bilinear shape.
      const auto geometry = mesh.GetElementGeometry(0);
      const auto& gradient_rule = mfem::IntRules.Get(geometry, GradientDegree(space));
      const auto& mass_rule = mfem::IntRules.Get(geometry, MassDegree(space));

      mfem::FiniteElementSpace displacements(&mesh, space.Fes().FEColl(), shape.dimension,
                                             mfem::Ordering::byVDIM);
      mfem::BilinearForm elasticity(&displacements);
      auto* hooke = new mfem::ElasticityIntegrator(lambda, mu);
      hooke->SetIntRule(&gradient_rule);
      elasticity.AddDomainIntegrator(hooke);
      const Eigen::MatrixXd theirs = MfemMatrix(elasticity);
      const Eigen::MatrixXd ours =
          Dense(AssembleElasticity(space, MakeGraph(space), {c.lambda, c.mu}));
      CHECK((ours - theirs).norm() <= 1e-12 * theirs.norm());

      mfem::BilinearForm scalar(&space.Fes());
      auto* diffusion = new mfem::DiffusionIntegrator(lambda);
      auto* mass = new mfem::MassIntegrator(mu);
      diffusion->SetIntRule(&mass_rule);
      mass->SetIntRule(&mass_rule);
      scalar.AddDomainIntegrator(diffusion);
      scalar.AddDomainIntegrator(mass);
      const Eigen::MatrixXd sum = MfemMatrix(scalar);
      BlockCsr a(MakeGraph(space), 1);
      AddDiffusionMass(space, c.lambda, c.mu, a);
      CHECK((Dense(a) - sum).norm() <= 1e-12 * sum.norm());
    }
  }
}

// Rigid motions by column: translations, then rotations about the axes.
Eigen::MatrixXd RigidMotions(const NodalSpace& space) {
  const int d = space.Dimension();
  Eigen::MatrixXd modes =
      Eigen::MatrixXd::Zero(static_cast<long>(space.Nodes()) * d, d == 2 ? 3 : 6);
  for (int i = 0; i < space.Nodes(); i++) {
    const double* x = &space.Coordinates()[static_cast<size_t>(i) * d];
    for (int k = 0; k < d; k++) modes(i * d + k, k) = 1;
    int mode = d;
    for (int k = 0; k < d; k++) {
      for (int l = k + 1; l < d; l++, mode++) {
        modes(i * d + k, mode) = -x[l];
        modes(i * d + l, mode) = x[k];
      }
    }
  }
  return modes;
}

TEST_CASE("elasticity is symmetric and knows rigid motions, and no others, as free") {
  Random random(3);
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      mfem::Mesh mesh = RandomMesh(shape, shape.dimension == 2 ? 3 : 2, random);
      const NodalSpace space(mesh, order);
      const Values one(mesh.GetNE(), 1.0);
      const Eigen::MatrixXd a = Dense(AssembleElasticity(space, MakeGraph(space), {one, one}));
      const Eigen::MatrixXd modes = RigidMotions(space);
      CHECK((a - a.transpose()).norm() <= 1e-13 * a.norm());
      CHECK((a * modes).norm() <= 1e-12 * a.norm() * modes.norm());
      const Eigen::VectorXd values =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
      const double largest = values(values.size() - 1);
      CHECK(values(modes.cols() - 1) <= 1e-12 * largest);
      CHECK(values(0) >= -1e-12 * largest);
      CHECK(values(modes.cols()) > 1e-6 * largest);
    }
  }
}

TEST_CASE("a constant load on quadratic elements weighs the volume") {
  Random random(4);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    mfem::Mesh mesh = RandomMesh(shape, 2, random);
    const NodalSpace space(mesh, 2);
    double volume = 0;
    for (int e = 0; e < mesh.GetNE(); e++) volume += mesh.GetElementVolume(e);
    const int d = shape.dimension;
    const Values force = RandomValues(d, random);
    Values f, b(static_cast<size_t>(space.Nodes()) * d, 0.0);
    for (int e = 0; e < mesh.GetNE(); e++) f.insert(f.end(), force.begin(), force.end());
    AddBodyLoad(space, d, f, b);
    for (int c = 0; c < d; c++) {
      double sum = 0;
      for (int i = 0; i < space.Nodes(); i++) sum += b[static_cast<size_t>(i) * d + c];
      CHECK(sum == doctest::Approx(force[c] * volume).epsilon(1e-12));
    }
  }
}

TEST_CASE("constraints move to the right-hand side and give their reactions") {
  Random random(5);
  mfem::Mesh mesh = RandomMesh(kShapes[2], 2, random);
  const NodalSpace space(mesh, 1);
  const Values one(mesh.GetNE(), 1.0);
  BlockCsr a = AssembleElasticity(space, MakeGraph(space), {one, one});
  const Eigen::MatrixXd whole = Dense(a);
  Constraints fixed(a.Size());
  for (size_t u = 0; u < a.Size(); u++) {
    if (u < 9 || random.Between(0, 1) < 0.3) fixed.Set(u, random.Between(-1, 1));
  }
  const Values load = RandomValues(a.Size(), random);
  const ConstrainedRows rows(a, fixed);
  Values b = load;
  Lift(a, fixed, b);
  Clamp(a, fixed);
  const Eigen::MatrixXd clamped = Dense(a);
  CHECK((clamped - clamped.transpose()).norm() <= 1e-13 * clamped.norm());
  Eigen::VectorXd x = clamped.ldlt().solve(Vector(b));
  for (size_t u = 0; u < a.Size(); u++) {
    if (fixed.fixed[u]) x(static_cast<long>(u)) = fixed.value[u];
  }
  const Eigen::VectorXd rest = whole * x - Vector(load);
  const Values reactions = rows.Reactions(Values(x.data(), x.data() + x.size()), load);
  for (size_t u = 0; u < a.Size(); u++) {
    const double expected = fixed.fixed[u] ? rest(static_cast<long>(u)) : 0;
    REQUIRE(std::abs(reactions[u] - expected) <= 1e-11 * whole.norm());
    if (!fixed.fixed[u]) REQUIRE(std::abs(rest(static_cast<long>(u))) <= 1e-11 * whole.norm());
  }
}

}  // namespace
}  // namespace atelier
