// What a CAD file holds, as the rest of the program sees it: bodies in their
// final place, each with its faces, names and colours. Shapes are in millimetres
// (OpenCASCADE's own unit); everything that leaves the program is divided by
// Part::unit_mm and so is in the file's unit.
#ifndef ATELIER_OCCT_PART_H_
#define ATELIER_OCCT_PART_H_

#include <TopoDS_Compound.hxx>
#include <TopoDS_Face.hxx>
#include <TopoDS_Shape.hxx>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "protocol.h"

namespace atelier {

using Vec3 = std::array<double, 3>;
using Color = std::array<double, 3>;  // linear RGB, 0 to 1

// One face of a body in its final place, oriented as the body uses it.
struct Face {
  int id = 0;    // 1-based, over the whole part
  int body = 0;  // 1-based
  TopoDS_Face shape;
  std::string name;
  int instance = 0;  // of the STEP file that it is, the number behind its #; 0 for none
  std::optional<Color> color;

  // Filled by Measure (measure.h); file unit.
  std::string kind;
  double area = 0;
  Vec3 centroid{};
  std::optional<Vec3> normal;  // outward, of a plane
  std::optional<Vec3> axis;    // unit direction, of a surface of revolution
  std::optional<double> radius, minor_radius, half_angle_deg;
  bool concave = false;  // of a cylinder, cone, sphere: material lies outside (a hole)
};

// A solid, or a shell or a set of loose faces that belongs to no solid.
struct Body {
  int id = 0;
  std::string name, kind;  // kind: solid, shell, sheet
  std::string path;        // names of the instances that lead to it, outermost first
  TopoDS_Shape shape;
  std::optional<Color> color;
  std::vector<size_t> faces;  // indices into Part::faces

  double volume = 0, area = 0;  // exact; volume is 0 when the body is not closed
  int shells = 0, closed_shells = 0;
  bool inside_out = false;  // the solid was oriented with its material outside
};

struct Part {
  TopoDS_Compound root;
  std::vector<Body> bodies;
  std::vector<Face> faces;
  std::vector<std::string> products;  // names, outermost first
  double unit_mm = 1;                 // one file unit in millimetres
  std::string length_unit = "mm";
  std::string schema;
  bool valid = true;  // BRepCheck finds no fault
  std::vector<Warning> warnings;

  int solids() const;
  int shells() const;
  int closed_shells() const;
};

}  // namespace atelier

#endif  // ATELIER_OCCT_PART_H_
