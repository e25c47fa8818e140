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

}  // namespace

bool Heal(Part& part) {
  bool changed = false;
  for (Body& body : part.bodies) {
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
    changed = true;
  }
  if (changed) {
    Rebuild(part);
    part.warnings.push_back({"shape_healed", "The exact shape was healed (ShapeFix) to mesh it."});
  }
  return changed;
}

bool Sew(Part& part) {
  std::vector<size_t> loose;  // bodies that are no solids
  for (size_t i = 0; i < part.bodies.size(); ++i) {
    if (part.bodies[i].kind != "solid") loose.push_back(i);
  }
  if (loose.empty()) return false;
  Bnd_Box box;
  BRepBndLib::Add(part.root, box, false);
  double tolerance = 1e-5 * std::sqrt(box.SquareExtent());
  BRepBuilderAPI_Sewing sewing(tolerance);
  TopTools_DataMapOfShapeInteger old_face;
  for (size_t i : loose) {
    for (size_t f : part.bodies[i].faces) sewing.Add(part.faces[f].shape);
  }
  sewing.Perform();
  for (size_t i : loose) {
    for (size_t f : part.bodies[i].faces) {
      TopoDS_Shape now = sewing.Modified(part.faces[f].shape);
      for (TopExp_Explorer e(now, TopAbs_FACE); e.More(); e.Next()) {
        if (!old_face.IsBound(e.Current())) old_face.Bind(e.Current(), static_cast<int>(f));
      }
    }
  }
  Part sewn = part;
  sewn.bodies.clear();
  sewn.faces.clear();
  auto take = [&](const TopoDS_Shape& shape, const char* kind, const Body& like) {
    Body body;
    body.id = static_cast<int>(sewn.bodies.size()) + 1;
    body.kind = kind, body.name = like.name, body.color = like.color, body.shape = shape;
    for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
      Face face;
      if (const int* f = old_face.Seek(e.Current())) face = part.faces[static_cast<size_t>(*f)];
      face.id = static_cast<int>(sewn.faces.size()) + 1;
      face.body = body.id;
      face.shape = TopoDS::Face(e.Current());
      body.faces.push_back(sewn.faces.size());
      sewn.faces.push_back(face);
    }
    sewn.bodies.push_back(body);
  };
  for (const Body& b : part.bodies) {
    if (b.kind == "solid") take(b.shape, "solid", b);
  }
  const Body& like = part.bodies[loose[0]];
  int solids = 0;
  TopoDS_Shape result = sewing.SewedShape();
  for (TopExp_Explorer e(result, TopAbs_SHELL); e.More(); e.Next()) {
    TopoDS_Shell shell = TopoDS::Shell(e.Current());
    if (BRep_Tool::IsClosed(shell)) {
      TopoDS_Solid solid = BRepBuilderAPI_MakeSolid(shell);
      BRepLib::OrientClosedSolid(solid);
      take(solid, "solid", like);
      ++solids;
    } else {
      take(shell, "shell", like);
    }
  }
  for (TopExp_Explorer e(result, TopAbs_FACE, TopAbs_SHELL); e.More(); e.Next()) {
    take(e.Current(), "sheet", like);
  }
  if (sewn.faces.empty() || sewn.bodies.size() > part.faces.size()) return false;
  sewn.warnings.push_back(
      {"surfaces_sewn", std::to_string(loose.size()) + " free surface bodies were sewn: " +
                            std::to_string(solids) + " closed solid(s) came of them."});
  part = std::move(sewn);
  Rebuild(part);
  return true;
}

}  // namespace atelier
