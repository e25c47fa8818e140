#include "cad_reader.h"

#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>

#include "document.h"
#include "iges_reader.h"
#include "step_reader.h"

namespace atelier {
namespace {

bool EndsIn(const std::string& path, const std::string& end) {
  return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

Part ReadBrep(const std::string& path) {
  TopoDS_Shape shape;
  BRep_Builder builder;
  if (!BRepTools::Read(shape, path.c_str(), builder) || shape.IsNull()) {
    throw Error(codes::kFileUnreadable, "The BREP file cannot be parsed.",
                "Save the part again, as STEP if you can.", "/file_path");
  }
  Handle(TDocStd_Document) doc = NewDocument();
  XCAFDoc_DocumentTool::ShapeTool(doc->Main())->AddShape(shape, false);
  Part part;
  CollectBodies(doc, {}, {}, part);
  return part;
}

}  // namespace

Part ReadCad(const std::string& path) {
  Part part = EndsIn(path, ".iges")   ? ReadIges(path)
              : EndsIn(path, ".brep") ? ReadBrep(path)
                                      : ReadStep(path);
  if (part.bodies.empty()) {
    throw Error(codes::kTessellationFailed,
                "The file holds no solid and no surface, only " +
                    std::string(part.products.empty() ? "data without shape"
                                                      : "products, points or curves") +
                    ".",
                "Export the part as a solid or surface model.", "/file_path");
  }
  return part;
}

}  // namespace atelier
