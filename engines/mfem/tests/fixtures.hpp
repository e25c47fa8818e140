// Meshes, fields and dense matrices that several tests use.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <string>

#include "block_csr.hpp"
#include "krylov.hpp"
#include "testing/random.hpp"

namespace atelier {

struct Shape {
  const char* name;
  int dimension;
  mfem::Element::Type type;
};
// Every kind of element that has a closed form on each order.
inline constexpr Shape kShapes[] = {{"triangle", 2, mfem::Element::TRIANGLE},
                                    {"quadrilateral", 2, mfem::Element::QUADRILATERAL},
                                    {"tetrahedron", 3, mfem::Element::TETRAHEDRON},
                                    {"hexahedron", 3, mfem::Element::HEXAHEDRON},
                                    {"wedge", 3, mfem::Element::WEDGE}};

// A box of n^d cells with random sides, sheared by a random affine map. inner: how
// far, of a cell, the vertices within are moved at random (simplices only: the
// others keep flat faces).
mfem::Mesh RandomMesh(const Shape& shape, int n, Random& random, double inner = 0.15);

// Layers of a regular prism of n sides, each side split in `split`, radii from 0.5 to 1.
mfem::Mesh Annulus(int n, int split, int dimension, double height);

Eigen::MatrixXd Dense(const BlockCsr& a);
Eigen::VectorXd Vector(const Values& v);
Values RandomValues(size_t n, Random& random);

// A random polynomial of degree 1 or 2 in the coordinates.
class Polynomial {
 public:
  Polynomial(int dimension, int degree, Random& random);
  double operator()(const double* x) const;
  std::vector<double> Gradient(const double* x) const;
  double SecondDerivative(int i, int j) const { return second_[i][j] + second_[j][i]; }

 private:
  int dimension_;
  double constant_, first_[3] = {}, second_[3][3] = {};
};

// Its values at the nodes.
Values AtNodes(const NodalSpace& space, const std::vector<Polynomial>& components);

// Fixes every unknown on the mesh's boundary at the given values.
Constraints FixBoundary(const NodalSpace& space, const Values& values);

}  // namespace atelier
