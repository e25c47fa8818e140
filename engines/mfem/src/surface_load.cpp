// Loads and springs over the faces of a condition, and the inertia of rotation.
#include <cmath>

#include "elasticity.hpp"
#include "load_cases.hpp"
#include "spatial.hpp"
#include "surface.hpp"
#include "surface_integral.hpp"

namespace atelier {
namespace {

Vector3 Place(const Elasticity& p, const Config& c, const char* name) {
  return Spatial(c.Lengths(name, p.dim, p.domain.metres_per_unit));
}

// A vector about an axis: in 2-D it must be z.
Vector3 Turning(const Elasticity& p, const Config& c, const std::string& name) {
  const Vector3 v = Spatial(c.Vector(name, 3));
  if (p.dim == 2 && (v[0] != 0 || v[1] != 0))
    throw c.Refuse(name, "must be along z on a 2-D mesh").Hint("Write [0, 0, value].");
  return v;
}

// The nodal forces of a traction: traction(place, outward normal), Pa.
template <class Traction>
Values Nodal(const Elasticity& p, const Region& r, Traction traction) {
  Values load(p.constraints->fixed.size(), 0.0);
  IntegrateRegion(*p.space, r,
                  [&](const std::vector<int>& dofs, const mfem::Vector& shape, double w,
                      const mfem::Vector& n, const mfem::Vector& x) {
                    const Vector3 t = traction(Spatial(x), Spatial(n));
                    for (size_t a = 0; a < dofs.size(); a++) {
                      for (int c = 0; c < p.dim; c++) {
                        load[static_cast<size_t>(dofs[a]) * p.dim + c] +=
                            w * shape(static_cast<int>(a)) * t[c];
                      }
                    }
                  });
  return load;
}

// Calls visit(weight, place, outward normal) over a face.
template <class Visit>
void OverFace(const Elasticity& p, const Region& r, Visit visit) {
  IntegrateRegion(*p.space, r,
                  [&](const std::vector<int>&, const mfem::Vector&, double w, const mfem::Vector& n,
                      const mfem::Vector& x) { visit(w, Spatial(x), Spatial(n)); });
}

// The traction whose resultant is a force through the face's centroid and a moment: force /
// area + omega x r, as over a cross-section that stays plane and turns.
Values RigidTraction(const Elasticity& p, const Region& r, const Vector3& force,
                     const Vector3& moment_about_centroid) {
  double area = 0;
  Vector3 centre = Vector3::Zero();
  OverFace(p, r, [&](double w, const Vector3& x, const Vector3&) {
    area += w;
    centre += w * x;
  });
  centre /= area;
  Matrix3 inertia = Matrix3::Zero();
  OverFace(p, r, [&](double w, const Vector3& x, const Vector3&) {
    const Vector3 d = x - centre;
    inertia += w * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  });
  const Vector3 omega = inertia.ldlt().solve(moment_about_centroid);
  return Nodal(p, r, [&](const Vector3& x, const Vector3&) -> Vector3 {
    return force / area + omega.cross(x - centre);
  });
}

// A force that acts at a point beside the face, or in it.
Values RemoteForce(const Elasticity& p, const Region& r, const Vector3& force) {
  double area = 0;
  Vector3 centre = Vector3::Zero();
  OverFace(p, r, [&](double w, const Vector3& x, const Vector3&) {
    area += w;
    centre += w * x;
  });
  return RigidTraction(p, r, force, (Place(p, r.config, "at") - centre / area).cross(force));
}

// A body that turns: angular speed and axis.
struct Rotation {
  double speed = 0;  // rad/s; 0 for none
  Vector3 point = Vector3::Zero(), axis = Vector3::UnitZ();

  // Centrifugal acceleration, m/s^2.
  Vector3 At(const Vector3& x) const {
    const Vector3 d = x - point;
    return speed * speed * (d - d.dot(axis) * axis);
  }
};

Rotation ReadRotation(const Elasticity& p, const Config& action) {
  Rotation out;
  if (!action.Has("rotation")) return out;
  const Config c = action.Object("rotation");
  if (c.Has("speed") == c.Has("rpm"))
    throw c.Refuse("speed", "or rpm is needed, and not both")
        .Hint("Give speed in rad/s, or rpm in revolutions per minute.");
  out.speed = c.Has("speed") ? c.Number("speed") : c.Number("rpm") * M_PI / 30;
  if (c.Has("point")) out.point = Place(p, c, "point");
  const bool turned = p.domain.axisymmetric;
  if (turned) out.axis = Vector3::UnitY();
  if (turned && out.point[0] != 0)
    throw c.Refuse("point", "must lie on the axis of revolution, x = 0").Hint("Leave it out.");
  if (turned && c.Has("axis")) {
    const Vector3 v = Spatial(c.Vector("axis", 3));
    if (v[0] != 0 || v[2] != 0 || v[1] == 0)
      throw c.Refuse("axis", "must be along y, the axis of revolution").Hint("Leave it out.");
  } else if (c.Has("axis")) {
    out.axis = Turning(p, c, "axis");
  } else if (p.dim == 3) {
    throw c.Refuse("axis", "is required").Hint("Write the direction of the axis: [0, 0, 1] for z.");
  }
  if (out.axis.norm() == 0) throw c.Refuse("axis", "must not be the zero vector");
  out.axis.normalize();
  if (!p.materials.weightless.empty())
    throw Error(codes::kInvalidInput, "a rotation needs the density of every material")
        .At(p.materials.weightless.front())
        .Hint("Give density in kg/m^3 (steel: 7850).");
  return out;
}

// The weight, and the centrifugal force, of a mass that hangs on the face.
Values RemoteMass(const Elasticity& p, const Region& r) {
  const Config action = ActionOf(p.config, r.config);
  const char* field = action.Has("gravity") ? "gravity" : "acceleration";
  const bool weighs = action.Has(field);
  if (!weighs && !action.Has("rotation"))
    throw r.config.Refuse("mass", "has no weight without gravity or rotation")
        .Hint("Give /config/gravity, such as [0, 0, -9.81].");
  Vector3 a = ReadRotation(p, action).At(Place(p, r.config, "at"));
  if (weighs) a += Spatial(action.Vector(field, p.dim));
  return RemoteForce(p, r, r.config.Positive("mass") * a);
}

// A pin pushes on the half of a round face that it is pressed against, with a pressure that
// falls with the cosine: p = d . n where d . n < 0, with d such that its resultant is the force.
Values BearingLoad(const Elasticity& p, const Region& r) {
  constexpr int kRounds = 50;
  constexpr double kClosed = 1e-12, kSideways = 1e-6;
  const Vector3 force = Spatial(r.config.Vector("force", p.dim));
  Vector3 d = force, rest = force;
  for (int i = 0; i < kRounds && rest.norm() > kClosed * force.norm(); i++) {
    Matrix3 normals = Matrix3::Zero();
    OverFace(p, r, [&](double w, const Vector3&, const Vector3& n) {
      if (d.dot(n) < 0) normals += w * n * n.transpose();
    });
    // The face cannot be pushed along its axis.
    Eigen::CompleteOrthogonalDecomposition<Matrix3> solver;
    solver.setThreshold(1e-6);
    solver.compute(normals);
    d = solver.solve(force);
    rest = force;
    OverFace(p, r, [&](double w, const Vector3&, const Vector3& n) {
      if (d.dot(n) < 0) rest -= w * d.dot(n) * n;
    });
  }
  if (!(rest.norm() <= kSideways * force.norm()))
    throw r.config
        .Refuse("force",
                "cannot be borne by a pressure on the half of the face that it pushes "
                "against")
        .Hint(
            "A bearing load needs a round face around which the force may push, and no part along "
            "its axis: give that as a load of its own. On the half of a face that a plane of "
            "symmetry leaves, a pressure also pushes across that plane: model the whole, or give "
            "half the force with the part across the plane that the other half balances, 2 / pi "
            "of it on half a bore.");
  return Nodal(p, r, [&](const Vector3&, const Vector3& n) -> Vector3 {
    return std::min(0.0, d.dot(n)) * n;
  });
}

// A pressure that changes linearly with the place, as in a liquid.
struct Hydrostatic {
  double value;
  Vector3 gradient = Vector3::Zero(), at = Vector3::Zero();

  Hydrostatic(const Elasticity& p, const Region& r)
      : value(r.config.Number(r.config.Has("pressure") ? "pressure" : "value")) {
    if (r.config.Has("gradient") != r.config.Has("at"))
      throw r.config.Refuse(r.config.Has("at") ? "gradient" : "at",
                            "is missing: a pressure that varies needs gradient and at");
    if (!r.config.Has("gradient")) return;
    gradient = Spatial(r.config.Vector("gradient", p.dim));
    at = Place(p, r.config, "at");
  }
  double At(const Vector3& x) const { return value + gradient.dot(x - at); }
};

// The stiffness of a foundation at a place of its face, N/m^3.
Matrix3 Foundation(const Elasticity& p, const Region& r, const Vector3& n) {
  if (!r.config.Has("stiffness")) throw r.config.Refuse("stiffness", "is required");
  if (!r.config.Raw("stiffness").is_array())
    return r.config.Positive("stiffness") * n * n.transpose();
  const Vector3 k = Spatial(r.config.Vector("stiffness", p.dim));
  if (k.minCoeff() < 0 || k.maxCoeff() == 0)
    throw r.config.Refuse("stiffness", "must not be negative, and somewhere greater than 0");
  return k.asDiagonal();
}

// A load as it is given, before it is multiplied by the factor of its case.
Values GivenLoad(const Elasticity& p, const Region& r) {
  const Vector3 none = Vector3::Zero();
  if (r.type == "moment") return RigidTraction(p, r, none, Turning(p, r.config, "moment"));
  if (r.type == "remote_force") return RemoteForce(p, r, Spatial(r.config.Vector("force", p.dim)));
  if (r.type == "remote_mass") return RemoteMass(p, r);
  if (r.type == "bearing") return BearingLoad(p, r);
  const int given = r.config.Has("value") + r.config.Has("force") + r.config.Has("pressure");
  if (given != 1)
    throw Error(codes::kInvalidInput,
                "a load needs exactly one of value (traction, Pa), force (N) and pressure (Pa)")
        .At(r.config.Pointer());
  if (IsPressure(r)) {
    const Hydrostatic pressure(p, r);
    return Nodal(
        p, r, [&](const Vector3& x, const Vector3& n) -> Vector3 { return -pressure.At(x) * n; });
  }
  const bool total = r.config.Has("force");
  const Vector3 traction =
      Spatial(r.config.Vector(total ? "force" : "value", p.dim)) / (total ? r.area : 1);
  return Nodal(p, r, [&](const Vector3&, const Vector3&) { return traction; });
}

}  // namespace

double Pressure(const Elasticity& p, const Region& r) {
  return FactorOf(r.config) * Hydrostatic(p, r).At(Spatial(r.centroid));
}

Values SurfaceLoad(const Elasticity& p, const Region& r) {
  Values load = GivenLoad(p, r);
  const double factor = FactorOf(r.config);
  if (factor != 1) {
    for (double& f : load) f *= factor;
  }
  return load;
}

Values CentrifugalLoad(const Elasticity& p, const Config& action) {
  const Rotation rotation = ReadRotation(p, action);
  if (rotation.speed == 0) return {};
  Values load(p.constraints->fixed.size(), 0.0);
  const ElementKernel kernel(*p.space, p.space->Order() + 3);
  ForEachElement(*p.space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      double place[3] = {};
      kernel.Position(e, q, place);
      const Vector3 f = p.materials.density[e] * s.measure[q] *
                        rotation.At(Vector3(place[0], place[1], place[2]));
      for (int a = 0; a < s.dofs; a++) {
        for (int c = 0; c < p.dim; c++) {
          load[static_cast<size_t>(s.dof[a]) * p.dim + c] +=
              s.shape[static_cast<size_t>(q) * s.dofs + a] * f[c];
        }
      }
    }
  });
  return load;
}

std::vector<Spring> Springs(const Elasticity& p) {
  std::vector<Spring> out;
  for (const Region& r : p.regions) {
    if (!IsElastic(r)) continue;
    IntegrateRegion(*p.space, r,
                    [&](const std::vector<int>& dofs, const mfem::Vector&, double,
                        const mfem::Vector& n, const mfem::Vector& x) {
                      const Matrix3 k = Foundation(p, r, Spatial(n));
                      const Vector3 at = Spatial(x);
                      for (int c = 0; c < p.dim; c++) {
                        const Vector3 along = k.col(c);
                        if (along.norm() == 0) continue;
                        const Vector3 d = along.normalized();
                        out.push_back({dofs[0], {at[0], at[1], at[2]}, {d[0], d[1], d[2]}});
                      }
                    });
  }
  return out;
}

void AddElasticSupports(const Elasticity& p, const NodalSpace& space, BlockCsr& a) {
  const int dim = p.dim;
  for (const Region& r : p.regions) {
    if (!IsElastic(r)) continue;
    IntegrateRegion(space, r,
                    [&](const std::vector<int>& dofs, const mfem::Vector& shape, double w,
                        const mfem::Vector& n, const mfem::Vector&) {
                      const Matrix3 k = w * Foundation(p, r, Spatial(n));
                      for (size_t i = 0; i < dofs.size(); i++) {
                        for (size_t j = 0; j < dofs.size(); j++) {
                          const double both =
                              shape(static_cast<int>(i)) * shape(static_cast<int>(j));
                          const int at = a.graph->Find(dofs[i], dofs[j]) * dim;
                          for (int c = 0; c < dim; c++) {
                            for (int d = 0; d < dim; d++)
                              a.Row(dofs[i], c)[at + d] += both * k(c, d);
                          }
                        }
                      }
                    });
  }
}

Values ElasticForces(const Elasticity& p, const Region& r, const Values& u) {
  Values force(u.size(), 0.0);
  IntegrateRegion(
      *p.space, r,
      [&](const std::vector<int>& dofs, const mfem::Vector& shape, double w, const mfem::Vector& n,
          const mfem::Vector&) {
        Vector3 moved = Vector3::Zero();
        for (size_t a = 0; a < dofs.size(); a++) {
          for (int c = 0; c < p.dim; c++)
            moved[c] += shape(static_cast<int>(a)) * u[static_cast<size_t>(dofs[a]) * p.dim + c];
        }
        const Vector3 f = -w * (Foundation(p, r, Spatial(n)) * moved);
        for (size_t a = 0; a < dofs.size(); a++) {
          for (int c = 0; c < p.dim; c++)
            force[static_cast<size_t>(dofs[a]) * p.dim + c] += shape(static_cast<int>(a)) * f[c];
        }
      });
  return force;
}

}  // namespace atelier
