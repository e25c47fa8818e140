#include "heal.h"

#include <BRepBndLib.hxx>
#include <BRepBuilderAPI_MakeSolid.hxx>
#include <BRepBuilderAPI_Sewing.hxx>
#include <BRepLib.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <ShapeBuild_ReShape.hxx>
#include <ShapeFix_Shape.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_DataMapOfShapeInteger.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Solid.hxx>
#include <cmath>

namespace atelier {
namespace {

void Rebuild(Part& part) {
  BRep_Builder maker;
  maker.MakeCompound(part.root);
  for (const Body& b : part.bodies) maker.Add(part.root, b.shape);
}

// Oriented finds in a shape the use of each face, with the orientation there.
void Reorient(Part& part, Body& body) {
  for (TopExp_Explorer e(body.shape, TopAbs_FACE); e.More(); e.Next()) {
    for (size_t f : body.faces) {
      if (part.faces[f].shape.IsSame(e.Current())) part.faces[f].shape = TopoDS::Face(e.Current());
    }
  }
}

using FaceOrigin = TopTools_DataMapOfShapeInteger;

double Size(const Part& part) {
  Bnd_Box box;
  BRepBndLib::Add(part.root, box, false);
  return box.IsVoid() ? 1 : std::sqrt(box.SquareExtent());
}

// Keep takes a body over as it is, with new numbers.
void Keep(const Part& from, const Body& body, Part& into) {
  Body copy = body;
  copy.id = static_cast<int>(into.bodies.size()) + 1;
  copy.faces.clear();
  for (size_t f : body.faces) {
    Face face = from.faces[f];
    face.id = static_cast<int>(into.faces.size()) + 1;
    face.body = copy.id;
    copy.faces.push_back(into.faces.size());
    into.faces.push_back(face);
  }
  into.bodies.push_back(copy);
}

// Take makes a body of a sewn shape; its faces keep the names of their origin.
void Take(const Part& from, const TopoDS_Shape& shape, const char* kind, const FaceOrigin& origin,
          const Body& like, Part& into) {
  Body body;
  body.id = static_cast<int>(into.bodies.size()) + 1;
  body.kind = kind, body.name = like.name, body.path = like.path, body.color = like.color,
  body.shape = shape;
  for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
    Face face;
    if (const int* f = origin.Seek(e.Current())) face = from.faces[static_cast<size_t>(*f)];
    face.id = static_cast<int>(into.faces.size()) + 1;
    face.body = body.id;
    face.shape = TopoDS::Face(e.Current());
    body.faces.push_back(into.faces.size());
    into.faces.push_back(face);
  }
  into.bodies.push_back(body);
}

// TakeShells makes bodies of all that was sewn and returns how many are solids.
int TakeShells(const Part& from, const TopoDS_Shape& sewn, const FaceOrigin& origin,
               const Body& like, Part& into) {
  int solids = 0;
  for (TopExp_Explorer e(sewn, TopAbs_SHELL); e.More(); e.Next()) {
    TopoDS_Shell shell = TopoDS::Shell(e.Current());
    if (!BRep_Tool::IsClosed(shell)) {
      Take(from, shell, "shell", origin, like, into);
      continue;
    }
    TopoDS_Solid solid = BRepBuilderAPI_MakeSolid(shell);
    BRepLib::OrientClosedSolid(solid);
    Take(from, solid, "solid", origin, like, into);
    ++solids;
  }
  for (TopExp_Explorer e(sewn, TopAbs_FACE, TopAbs_SHELL); e.More(); e.Next()) {
    Take(from, e.Current(), "sheet", origin, like, into);
  }
  return solids;
}

}  // namespace

bool Heal(Part& part, const std::vector<size_t>& bodies) {
  std::string healed;
  for (size_t i : bodies) {
    Body& body = part.bodies[i];
    ShapeFix_Shape fix(body.shape);
    if (!fix.Perform()) continue;
    Handle(ShapeBuild_ReShape) context = fix.Context();
    std::vector<std::pair<size_t, TopoDS_Shape>> moved;
    bool one_to_one = true;
    for (size_t f : body.faces) {
      TopoDS_Shape now = context->Apply(part.faces[f].shape);
      one_to_one = one_to_one && !now.IsNull() && now.ShapeType() == TopAbs_FACE;
      moved.emplace_back(f, now);
    }
    if (!one_to_one) continue;  // a face was split or removed: ids would shift
    for (auto& [f, now] : moved) part.faces[f].shape = TopoDS::Face(now);
    body.shape = fix.Shape();
    Reorient(part, body);
    healed += (healed.empty() ? "" : ", ") + std::to_string(body.id);
  }
  if (healed.empty()) return false;
  Rebuild(part);
  part.warnings.push_back(
      {"shape_healed", "The exact shape of body " + healed + " was healed (ShapeFix) to mesh it."});
  return true;
}

bool Sew(Part& part) {
  BRepBuilderAPI_Sewing sewing(1e-5 * Size(part));
  std::vector<size_t> loose;  // faces that belong to no solid
  Body like;                  // gives its name and colour to what comes of them
  for (const Body& b : part.bodies) {
    if (b.kind == "solid") continue;
    if (loose.empty()) like = b;
    loose.insert(loose.end(), b.faces.begin(), b.faces.end());
  }
  if (loose.size() < 2) return false;
  for (size_t f : loose) sewing.Add(part.faces[f].shape);
  sewing.Perform();
  FaceOrigin origin;  // of every sewn face, the face that it was
  for (size_t f : loose) {
    for (TopExp_Explorer e(sewing.Modified(part.faces[f].shape), TopAbs_FACE); e.More(); e.Next()) {
      if (!origin.IsBound(e.Current())) origin.Bind(e.Current(), static_cast<int>(f));
    }
  }
  Part sewn = part;
  sewn.bodies.clear();
  sewn.faces.clear();
  for (const Body& b : part.bodies) {
    if (b.kind == "solid") Keep(part, b, sewn);
  }
  int solids = TakeShells(part, sewing.SewedShape(), origin, like, sewn);
  if (solids == 0) return false;  // nothing gained: the file's own bodies stay
  sewn.warnings.push_back({"surfaces_sewn", std::to_string(loose.size()) +
                                                " free faces were sewn; " + std::to_string(solids) +
                                                " closed solid(s) came of them."});
  part = std::move(sewn);
  Rebuild(part);
  return true;
}

}  // namespace atelier
