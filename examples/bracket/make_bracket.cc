// make-bracket writes bracket.step, the project's own example part: an L-bracket
// of 80 x 60 x 50 mm with named faces. Usage: make-bracket FILE.step
//
// The shape: a base plate (x 0..80, y 0..60, z 0..8) and an upright (x 0..8,
// y 0..60, z 0..50), an inner fillet of 6 mm between them, free corners rounded by
// 10 mm, four bolt holes of 9 mm through the base, a load hole of 16 mm through the
// upright. Its volume in closed form stands in README.md.
#include <APIHeaderSection_MakeHeader.hxx>
#include <BRepAdaptor_Curve.hxx>
#include <BRepAdaptor_Surface.hxx>
#include <BRepAlgoAPI_Cut.hxx>
#include <BRepBuilderAPI_MakeEdge.hxx>
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakeWire.hxx>
#include <BRepFilletAPI_MakeFillet.hxx>
#include <BRepGProp.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakePrism.hxx>
#include <GC_MakeArcOfCircle.hxx>
#include <GProp_GProps.hxx>
#include <Interface_Static.hxx>
#include <STEPConstruct.hxx>
#include <STEPControl_Writer.hxx>
#include <ShapeUpgrade_RemoveLocations.hxx>
#include <Standard_Failure.hxx>
#include <StepBasic_Product.hxx>
#include <StepData_StepModel.hxx>
#include <StepRepr_RepresentationItem.hxx>
#include <StepShape_ManifoldSolidBrep.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <Transfer_FinderProcess.hxx>
#include <XSControl_TransferWriter.hxx>
#include <XSControl_WorkSession.hxx>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

constexpr double kLength = 80, kWidth = 60, kHeight = 50, kThickness = 8;
constexpr double kFillet = 6, kCorner = 10, kBolt = 4.5, kLoad = 8;
const double kBolts[4][2] = {{30, 15}, {30, 45}, {65, 15}, {65, 45}};
constexpr double kLoadHeight = 32;

// Profile is the L in the plane y = 0, with the inner fillet.
TopoDS_Face Profile() {
  double t = kThickness, f = kFillet;
  gp_Pnt p[] = {{0, 0, 0},     {kLength, 0, 0}, {kLength, 0, t}, {t + f, 0, t},
                {t, 0, t + f}, {t, 0, kHeight}, {0, 0, kHeight}};
  double inset = f * (1 - std::sqrt(0.5));
  gp_Pnt middle(t + inset, 0, t + inset);
  BRepBuilderAPI_MakeWire wire;
  for (int i = 0; i < 7; ++i) {
    const gp_Pnt &a = p[i], &b = p[(i + 1) % 7];
    if (i == 3) {
      wire.Add(BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(a, middle, b).Value()));
    } else {
      wire.Add(BRepBuilderAPI_MakeEdge(a, b));
    }
  }
  return BRepBuilderAPI_MakeFace(wire.Wire());
}

bool Near(double a, double b) { return std::abs(a - b) < 1e-6; }

// FreeCorner says whether an edge is one of the four to be rounded: the upright
// ones at the base's far end, and those through the thickness at the upright's top.
bool FreeCorner(const TopoDS_Edge& edge) {
  BRepAdaptor_Curve c(edge);
  if (c.GetType() != GeomAbs_Line) return false;
  gp_Pnt a = c.Value(c.FirstParameter()), b = c.Value(c.LastParameter());
  bool at_side = Near(a.Y(), b.Y()) && (Near(a.Y(), 0) || Near(a.Y(), kWidth));
  bool far = Near(a.X(), kLength) && Near(b.X(), kLength);
  bool top = Near(a.Z(), kHeight) && Near(b.Z(), kHeight);
  return at_side && (far || top);
}

TopoDS_Shape Bracket() {
  TopoDS_Shape body = BRepPrimAPI_MakePrism(Profile(), gp_Vec(0, kWidth, 0));
  BRepFilletAPI_MakeFillet corners(body);
  TopTools_IndexedMapOfShape edges;
  TopExp::MapShapes(body, TopAbs_EDGE, edges);
  for (int i = 1; i <= edges.Extent(); ++i) {
    if (FreeCorner(TopoDS::Edge(edges(i)))) corners.Add(kCorner, TopoDS::Edge(edges(i)));
  }
  body = corners.Shape();
  for (const auto& at : kBolts) {
    gp_Ax2 axis(gp_Pnt(at[0], at[1], -1), gp::DZ());
    body = BRepAlgoAPI_Cut(body, BRepPrimAPI_MakeCylinder(axis, kBolt, kThickness + 2));
  }
  gp_Ax2 axis(gp_Pnt(-1, kWidth / 2, kLoadHeight), gp::DX());
  return BRepAlgoAPI_Cut(body, BRepPrimAPI_MakeCylinder(axis, kLoad, kThickness + 2));
}

std::string PlaneName(const gp_Pnt& c, const gp_Vec& n) {
  if (n.Z() < -0.9) return "base_bottom";
  if (n.Z() > 0.9) return Near(c.Z(), kHeight) ? "upright_top" : "base_top";
  if (n.X() < -0.9) return "upright_back";
  if (n.X() > 0.9) return Near(c.X(), kLength) ? "base_end" : "upright_front";
  return n.Y() < 0 ? "side_right" : "side_left";
}

std::string CylinderName(const gp_Cylinder& c) {
  gp_Pnt at = c.Location();
  if (Near(c.Radius(), kLoad)) return "load_hole";
  if (Near(c.Radius(), kFillet)) return "inner_fillet";
  if (Near(c.Radius(), kBolt)) {
    for (int i = 0; i < 4; ++i) {
      if (Near(at.X(), kBolts[i][0]) && Near(at.Y(), kBolts[i][1])) {
        return "bolt_hole_" + std::to_string(i + 1);
      }
    }
  }
  bool base = std::abs(c.Axis().Direction().Z()) > 0.9;
  return std::string(base ? "base" : "top") +
         (at.Y() < kWidth / 2 ? "_corner_right" : "_corner_left");
}

std::string FaceName(const TopoDS_Face& face) {
  BRepAdaptor_Surface s(face);
  if (s.GetType() == GeomAbs_Cylinder) return CylinderName(s.Cylinder());
  GProp_GProps props;
  BRepGProp::SurfaceProperties(face, props);
  gp_Vec n(s.Plane().Axis().Direction());
  if (!s.Plane().Direct()) n.Reverse();
  if (face.Orientation() == TopAbs_REVERSED) n.Reverse();
  return PlaneName(props.CentreOfMass(), n);
}

Handle(TCollection_HAsciiString) Text(const std::string& s) {
  return new TCollection_HAsciiString(s.c_str());
}

// Name gives the STEP entities their names: faces, the solid, the product.
void Name(STEPControl_Writer& writer, const TopoDS_Shape& shape) {
  Handle(Transfer_FinderProcess) made = writer.WS()->TransferWriter()->FinderProcess();
  for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
    auto item = STEPConstruct::FindEntity(made, e.Current());
    if (!item.IsNull()) item->SetName(Text(FaceName(TopoDS::Face(e.Current()))));
  }
  Handle(StepData_StepModel) model = writer.Model();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    auto solid = Handle(StepShape_ManifoldSolidBrep)::DownCast(model->Value(i));
    if (!solid.IsNull()) solid->SetName(Text("bracket"));
    auto product = Handle(StepBasic_Product)::DownCast(model->Value(i));
    if (!product.IsNull()) product->SetName(Text("bracket")), product->SetId(Text("bracket"));
  }
}

int Run(const char* path) {
  // The prism's far side is a moved copy of its profile; the writer knows only
  // faces that stand where they are.
  ShapeUpgrade_RemoveLocations flat;
  flat.Remove(Bracket());
  TopoDS_Shape shape = flat.GetResult();
  GProp_GProps props;
  BRepGProp::VolumeProperties(shape, props);
  STEPControl_Writer writer;
  Interface_Static::SetCVal("write.step.schema", "AP214IS");
  TopExp_Explorer solid(shape, TopAbs_SOLID);
  if (writer.Transfer(solid.Current(), STEPControl_ManifoldSolidBrep) != IFSelect_RetDone) return 1;
  Name(writer, solid.Current());
  APIHeaderSection_MakeHeader header(writer.Model());
  header.SetName(Text("bracket"));
  header.SetTimeStamp(Text("2025-01-01T00:00:00"));  // the same file every time
  header.Apply(writer.Model());
  if (writer.Write(path) != IFSelect_RetDone) return 1;
  std::fprintf(stderr, "%s: volume %.6f mm3\n", path, props.Mass());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make-bracket FILE.step\n");
    return 2;
  }
  try {
    return Run(argv[1]);
  } catch (const Standard_Failure& e) {
    std::fprintf(stderr, "make-bracket: %s\n", e.GetMessageString());
    return 1;
  }
}
