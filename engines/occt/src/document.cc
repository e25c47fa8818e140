#include "document.h"

#include <BRepBuilderAPI_Transform.hxx>
#include <BRep_Builder.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Quantity_Color.hxx>
#include <TCollection_AsciiString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDataStd_Name.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_MapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Iterator.hxx>
#include <TransferBRep.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>

#include "step_text.h"

namespace atelier {
namespace {

// Builder walks the document's assembly tree and collects bodies.
class Builder {
 public:
  Builder(const Handle(TDocStd_Document) & doc, Labels labels, std::vector<Mirrored> mirrored)
      : shapes_(XCAFDoc_DocumentTool::ShapeTool(doc->Main())),
        colors_(XCAFDoc_DocumentTool::ColorTool(doc->Main())),
        labels_(std::move(labels)),
        mirrored_(std::move(mirrored)) {}

  void Build(Part& part) {
    BRep_Builder maker;
    maker.MakeCompound(part.root);
    TDF_LabelSequence free;
    shapes_->GetFreeShapes(free);
    for (const TDF_Label& label : free) Visit(part, label, TopLoc_Location(), {}, 0);
    for (const Body& b : part.bodies) maker.Add(part.root, b.shape);
    if (reflected_ < mirrored_.size()) {
      throw Error(codes::kTessellationFailed,
                  "The file mirrors a part in a way that cannot be followed (MAPPED_ITEM).",
                  "Export the mirrored bodies as geometry of their own.", "/file_path");
    }
  }

 private:
  static std::string LabelName(const TDF_Label& label) {
    Handle(TDataStd_Name) name;
    if (!label.FindAttribute(TDataStd_Name::GetID(), name)) return "";
    TCollection_AsciiString text(name->Get(), 0);  // 0: as UTF-8
    return DecodeName(text.ToCString());
  }

  std::optional<Color> LabelColor(const TDF_Label& label) const {
    Quantity_Color c;
    for (XCAFDoc_ColorType type : {XCAFDoc_ColorSurf, XCAFDoc_ColorGen}) {
      if (colors_->GetColor(label, type, c)) return Color{c.Red(), c.Green(), c.Blue()};
    }
    return std::nullopt;
  }

  // Above is what the levels above have given to a shape.
  struct Above {
    std::string name, path;
    std::optional<Color> color;
  };

  // Visit descends with the place and what the levels above have given; an instance's own
  // colour wins over its part's.
  void Visit(Part& part, const TDF_Label& label, const TopLoc_Location& place, Above above,
             int depth) {
    if (depth > 100) return;  // a cycle in the file's product structure
    TDF_Label target = label;
    TopLoc_Location here = place;
    std::string instance;
    if (XCAFDoc_ShapeTool::IsReference(label)) {
      here = place * XCAFDoc_ShapeTool::GetLocation(label);
      XCAFDoc_ShapeTool::GetReferredShape(label, target);
      instance = LabelName(label);
      if (auto c = LabelColor(label)) above.color = c;
    }
    std::string name = LabelName(target);
    if (!name.empty()) part.products.push_back(name), above.name = name;
    if (instance.empty()) instance = name;
    if (!instance.empty()) above.path += (above.path.empty() ? "" : "/") + instance;
    if (const Mirrored* m = Turned(XCAFDoc_ShapeTool::GetShape(label))) {
      Collect(target);  // the document has made an instance of the turned shape
      Split(part, Reflect(*m).Moved(place), above);
      return;
    }
    if (XCAFDoc_ShapeTool::IsAssembly(target)) {
      TDF_LabelSequence parts;
      XCAFDoc_ShapeTool::GetComponents(target, parts);
      for (const TDF_Label& p : parts) Visit(part, p, here, above, depth + 1);
      return;
    }
    Collect(target);
    if (!above.color) above.color = LabelColor(target);
    TopoDS_Shape shape = Reflected(XCAFDoc_ShapeTool::GetShape(target), 0);
    if (!shape.IsNull()) Split(part, shape.Moved(here), above);
  }

  const Mirrored* Turned(const TopoDS_Shape& shape) const {
    for (const Mirrored& m : mirrored_) {
      if (shape.IsSame(m.turned)) return &m;
    }
    return nullptr;
  }

  // Reflected is the shape with every part that came out turned put right.
  TopoDS_Shape Reflected(const TopoDS_Shape& shape, int depth) {
    if (mirrored_.empty() || shape.IsNull()) return shape;
    if (const Mirrored* m = Turned(shape)) return Reflect(*m);
    if (shape.ShapeType() != TopAbs_COMPOUND || depth > 20) return shape;
    TopoDS_Compound out;
    BRep_Builder maker;
    maker.MakeCompound(out);
    for (TopoDS_Iterator e(shape); e.More(); e.Next()) {
      maker.Add(out, Reflected(e.Value(), depth + 1));
    }
    return out;
  }

  // Reflect copies the shape as its mirror image; names and colours follow.
  TopoDS_Shape Reflect(const Mirrored& m) {
    ++reflected_;
    BRepBuilderAPI_Transform image(m.turned, m.reflection, true);
    for (TopAbs_ShapeEnum kind : {TopAbs_SOLID, TopAbs_FACE}) {
      for (TopExp_Explorer e(m.turned, kind); e.More(); e.Next()) {
        TopoDS_Shape copy = image.ModifiedShape(e.Current());
        labels_.Name(copy, labels_.NameOf(e.Current()));
        labels_.Instance(copy, labels_.InstanceOf(e.Current()));
        if (auto c = labels_.ColorOf(e.Current())) labels_.Paint(copy, *c);
      }
    }
    return image.Shape();
  }

  // Collect takes over the colours and names that the document gives to parts
  // of a shape.
  void Collect(const TDF_Label& label) {
    TDF_LabelSequence subs;
    XCAFDoc_ShapeTool::GetSubShapes(label, subs);
    for (const TDF_Label& sub : subs) {
      TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(sub);
      if (auto c = LabelColor(sub)) labels_.Paint(shape, *c);
      if (shape.ShapeType() == TopAbs_FACE) labels_.Name(shape, LabelName(sub));
    }
  }

  // Split makes a body of every solid, of every shell outside a solid, and of
  // all faces outside a shell together.
  void Split(Part& part, const TopoDS_Shape& shape, const Above& above) {
    for (TopExp_Explorer e(shape, TopAbs_SOLID); e.More(); e.Next()) {
      AddBody(part, e.Current(), "solid", above);
    }
    for (TopExp_Explorer e(shape, TopAbs_SHELL, TopAbs_SOLID); e.More(); e.Next()) {
      AddBody(part, e.Current(), "shell", above);
    }
    TopoDS_Compound loose;
    BRep_Builder maker;
    maker.MakeCompound(loose);
    bool any = false;
    for (TopExp_Explorer e(shape, TopAbs_FACE, TopAbs_SHELL); e.More(); e.Next()) {
      maker.Add(loose, e.Current());
      any = true;
    }
    if (any) AddBody(part, loose, "sheet", above);
  }

  void AddBody(Part& part, const TopoDS_Shape& shape, const char* kind, const Above& above) {
    Body body;
    body.id = static_cast<int>(part.bodies.size()) + 1;
    body.kind = kind;
    body.shape = shape;
    body.name = labels_.NameOf(shape);
    if (body.name.empty()) body.name = above.name;
    body.path = above.path;
    body.color = labels_.ColorOf(shape);
    if (!body.color) body.color = above.color;
    TopTools_MapOfShape seen;
    for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
      if (!seen.Add(e.Current())) continue;
      Face face;
      face.id = static_cast<int>(part.faces.size()) + 1;
      face.body = body.id;
      face.shape = TopoDS::Face(e.Current());
      face.name = labels_.NameOf(face.shape);
      face.instance = labels_.InstanceOf(face.shape);
      face.color = labels_.ColorOf(face.shape);
      body.faces.push_back(part.faces.size());
      part.faces.push_back(face);
    }
    if (!body.faces.empty()) part.bodies.push_back(body);
  }

  Handle(XCAFDoc_ShapeTool) shapes_;
  Handle(XCAFDoc_ColorTool) colors_;
  Labels labels_;
  std::vector<Mirrored> mirrored_;
  size_t reflected_ = 0;
};

}  // namespace

Handle(TDocStd_Document) NewDocument() {
  Handle(TDocStd_Document) doc;
  XCAFApp_Application::GetApplication()->NewDocument("MDTV-XCAF", doc);
  return doc;
}

Labels EntityNames(const Handle(XSControl_WorkSession) & session,
                   Handle(TCollection_HAsciiString) (*named)(const Handle(Standard_Transient) &)) {
  Labels labels;
  Handle(Interface_InterfaceModel) model = session->Model();
  Handle(Transfer_TransientProcess) process = session->TransferReader()->TransientProcess();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    Handle(Standard_Transient) entity = model->Value(i);
    Handle(TCollection_HAsciiString) name = named(entity);
    if (name.IsNull()) continue;
    std::string text = DecodeName(name->ToCString());
    if (!text.empty()) labels.Name(TransferBRep::ShapeResult(process, entity), text);
  }
  return labels;
}

void CollectBodies(const Handle(TDocStd_Document) & doc, Labels labels,
                   std::vector<Mirrored> mirrored, Part& part) {
  Builder(doc, std::move(labels), std::move(mirrored)).Build(part);
}

int Part::solids() const {
  int n = 0;
  for (const Body& b : bodies) n += b.kind == "solid";
  return n;
}

int Part::shells() const {
  int n = 0;
  for (const Body& b : bodies) n += b.shells;
  return n;
}

int Part::closed_shells() const {
  int n = 0;
  for (const Body& b : bodies) n += b.closed_shells;
  return n;
}

}  // namespace atelier
