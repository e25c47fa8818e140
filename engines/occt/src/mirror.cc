#include "mirror.h"

#include <Interface_InterfaceModel.hxx>
#include <StepGeom_Axis2Placement3d.hxx>
#include <StepGeom_CartesianPoint.hxx>
#include <StepGeom_CartesianTransformationOperator3d.hxx>
#include <StepGeom_Direction.hxx>
#include <StepRepr_MappedItem.hxx>
#include <StepRepr_RepresentationMap.hxx>
#include <TransferBRep.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XSControl_TransferReader.hxx>
#include <cmath>
#include <gp_Ax2.hxx>

namespace atelier {
namespace {

using Operator = StepGeom_CartesianTransformationOperator3d;

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(codes::kTessellationFailed,
              "The file places a part by " + what + " (MAPPED_ITEM), which would come out wrong.",
              "Export the part with its mirrored or scaled bodies as geometry of their own (in "
              "most CAD programs: break the link, or save as one part).",
              "/file_path");
}

gp_XYZ Axis(const Handle(StepGeom_Direction) & d, const gp_XYZ& fallback) {
  if (d.IsNull() || d->NbDirectionRatios() != 3) return fallback;
  return gp_XYZ(d->DirectionRatiosValue(1), d->DirectionRatiosValue(2), d->DirectionRatiosValue(3));
}

bool Same(const gp_XYZ& a, const gp_XYZ& b) { return (a - b).Modulus() < 1e-9; }

// AtOrigin says whether a map's origin is the identity, as it is in practice.
bool AtOrigin(const Handle(StepRepr_MappedItem) & item) {
  auto at = Handle(StepGeom_Axis2Placement3d)::DownCast(item->MappingSource()->MappingOrigin());
  if (at.IsNull() || at->Location().IsNull() || at->Location()->NbCoordinates() != 3) return false;
  gp_XYZ p(at->Location()->CoordinatesValue(1), at->Location()->CoordinatesValue(2),
           at->Location()->CoordinatesValue(3));
  return Same(p, gp_XYZ(0, 0, 0)) && Same(Axis(at->Axis(), gp_XYZ(0, 0, 1)), gp_XYZ(0, 0, 1)) &&
         Same(Axis(at->RefDirection(), gp_XYZ(1, 0, 0)), gp_XYZ(1, 0, 0));
}

// Reflection undoes the turn: OpenCASCADE keeps the first and the third axis, so
// what it made and what the file says differ by the sign of the second.
gp_Trsf Reflection(const Handle(Operator) & op, const gp_XYZ& x, const gp_XYZ& z, double unit_mm) {
  Handle(StepGeom_CartesianPoint) o = op->LocalOrigin();
  if (o.IsNull() || o->NbCoordinates() != 3) Refuse("a mirroring operator without an origin");
  gp_Pnt at(o->CoordinatesValue(1) * unit_mm, o->CoordinatesValue(2) * unit_mm,
            o->CoordinatesValue(3) * unit_mm);
  gp_Trsf t;
  t.SetMirror(gp_Ax2(at, gp_Dir(z.Crossed(x))));
  return t;
}

}  // namespace

std::vector<Mirrored> FindMirrored(const Handle(XSControl_WorkSession) & session, double unit_mm) {
  std::vector<Mirrored> found;
  Handle(Interface_InterfaceModel) model = session->Model();
  Handle(Transfer_TransientProcess) process = session->TransferReader()->TransientProcess();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    auto item = Handle(StepRepr_MappedItem)::DownCast(model->Value(i));
    if (item.IsNull()) continue;
    auto op = Handle(Operator)::DownCast(item->MappingTarget());
    if (op.IsNull()) continue;
    if (op->HasScale() && std::abs(op->Scale() - 1) > 1e-9) Refuse("a scaling operator");
    gp_XYZ x = Axis(op->Axis1(), gp_XYZ(1, 0, 0)), y = Axis(op->Axis2(), gp_XYZ(0, 1, 0));
    gp_XYZ z = Axis(op->Axis3(), x.Crossed(y));
    if (x.Crossed(y).Dot(z) >= 0) continue;
    if (!AtOrigin(item)) Refuse("a mirroring operator away from the origin");
    TopoDS_Shape turned = TransferBRep::ShapeResult(process, item);
    if (!turned.IsNull()) found.push_back({turned, Reflection(op, x, z, unit_mm)});
  }
  return found;
}

}  // namespace atelier
