#include "measure.h"

#include <BRepAdaptor_Surface.hxx>
#include <BRepCheck_Analyzer.hxx>
#include <BRepGProp.hxx>
#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <GProp_GProps.hxx>
#include <TopExp_Explorer.hxx>
#include <cmath>
#include <gp_Cone.hxx>
#include <gp_Cylinder.hxx>
#include <gp_Sphere.hxx>
#include <gp_Torus.hxx>

namespace atelier {
namespace {

constexpr double kDegrees = 180.0 / 3.14159265358979323846;

// kIntegral is the relative error of areas and volumes up to which OpenCASCADE divides
// its integrals; without one it is off by up to 4e-4 on trimmed cylinders and tori.
constexpr double kIntegral = 1e-7;

// Point turns a place into the file's unit; -0 becomes 0.
Vec3 Point(const gp_Pnt& p, double unit) {
  return {p.X() / unit + 0.0, p.Y() / unit + 0.0, p.Z() / unit + 0.0};
}

Vec3 Unit(const gp_Dir& d) {
  auto clean = [](double x) { return std::abs(x) < 1e-15 ? 0.0 : x; };
  return {clean(d.X()), clean(d.Y()), clean(d.Z())};
}

const char* KindOf(GeomAbs_SurfaceType type) {
  switch (type) {
    case GeomAbs_Plane:
      return "plane";
    case GeomAbs_Cylinder:
      return "cylinder";
    case GeomAbs_Cone:
      return "cone";
    case GeomAbs_Sphere:
      return "sphere";
    case GeomAbs_Torus:
      return "torus";
    case GeomAbs_BezierSurface:
    case GeomAbs_BSplineSurface:
      return "bspline";
    case GeomAbs_SurfaceOfRevolution:
      return "revolution";
    case GeomAbs_SurfaceOfExtrusion:
      return "extrusion";
    case GeomAbs_OffsetSurface:
      return "offset";
    default:
      return "other";
  }
}

// Outward is the unit normal of the face at the middle of its parameters,
// pointing out of the material; false where the surface has none there.
bool Outward(const Face& face, const BRepAdaptor_Surface& s, bool inside_out, gp_Pnt& at,
             gp_Vec& normal) {
  double u0 = 0, u1 = 0, v0 = 0, v1 = 0;
  BRepTools::UVBounds(face.shape, u0, u1, v0, v1);
  gp_Vec du, dv;
  s.D1((u0 + u1) / 2, (v0 + v1) / 2, at, du, dv);
  normal = du.Crossed(dv);
  if (normal.Magnitude() < 1e-12) return false;
  normal.Normalize();
  // The adaptor applies a mirrored placement to du and dv, which turns their
  // cross product against the material as well as a reversed use does.
  bool mirrored = face.shape.Location().Transformation().IsNegative();
  bool reversed = face.shape.Orientation() == TopAbs_REVERSED;
  if ((reversed != mirrored) != inside_out) normal.Reverse();
  return true;
}

void Shape(Face& face, bool inside_out, double unit) {
  BRepAdaptor_Surface s(face.shape, true);
  face.kind = KindOf(s.GetType());
  gp_Pnt at;
  gp_Vec out;
  bool has_normal = Outward(face, s, inside_out, at, out);
  gp_Ax1 axis;
  switch (s.GetType()) {
    case GeomAbs_Plane:
      if (has_normal) face.normal = Unit(gp_Dir(out));
      return;
    case GeomAbs_Cylinder:
      axis = s.Cylinder().Axis();
      face.radius = s.Cylinder().Radius() / unit;
      break;
    case GeomAbs_Cone:
      axis = s.Cone().Axis();
      face.radius = s.Cone().RefRadius() / unit;
      face.half_angle_deg = s.Cone().SemiAngle() * kDegrees;
      break;
    case GeomAbs_Torus:
      axis = s.Torus().Axis();
      face.radius = s.Torus().MajorRadius() / unit;
      face.minor_radius = s.Torus().MinorRadius() / unit;
      face.axis = Unit(axis.Direction());
      return;
    case GeomAbs_Sphere:
      face.radius = s.Sphere().Radius() / unit;
      face.concave = has_normal && out.Dot(gp_Vec(s.Sphere().Location(), at)) < 0;
      return;
    default:
      return;
  }
  face.axis = Unit(axis.Direction());
  gp_Vec from_axis(axis.Location(), at);
  gp_Vec along(axis.Direction());
  from_axis -= along * from_axis.Dot(along);
  face.concave = has_normal && out.Dot(from_axis) < 0;
}

void MeasureFace(Face& face, bool inside_out, double unit) {
  GProp_GProps surface;
  BRepGProp::SurfaceProperties(face.shape, surface, kIntegral);
  face.area = std::abs(surface.Mass()) / (unit * unit);
  face.centroid = Point(surface.CentreOfMass(), unit);
  Shape(face, inside_out, unit);
}

void MeasureBody(Body& body, double unit) {
  for (TopExp_Explorer e(body.shape, TopAbs_SHELL); e.More(); e.Next()) {
    ++body.shells;
    if (BRep_Tool::IsClosed(e.Current())) ++body.closed_shells;
  }
  if (body.shells == 0 || body.closed_shells != body.shells) return;
  GProp_GProps volume;
  BRepGProp::VolumeProperties(body.shape, volume, kIntegral);
  body.volume = volume.Mass() / (unit * unit * unit);
  if (body.volume < 0) {
    body.volume = -body.volume;
    body.inside_out = true;
  }
}

}  // namespace

void Measure(Part& part) {
  for (Body& body : part.bodies) {
    MeasureBody(body, part.unit_mm);
    if (body.inside_out) {
      part.warnings.push_back({"inside_out_body", "Body " + std::to_string(body.id) +
                                                      " was inside out; its faces were turned."});
    }
    for (size_t f : body.faces) {
      MeasureFace(part.faces[f], body.inside_out, part.unit_mm);
      body.area += part.faces[f].area;
    }
  }
  part.valid = BRepCheck_Analyzer(part.root).IsValid();
  if (!part.valid) {
    part.warnings.push_back(
        {"shape_invalid",
         "The exact shape breaks a rule of boundary representation (BRepCheck); "
         "the figures are held against the mesh all the same."});
  }
}

}  // namespace atelier
