// Bodies, faces, names and colours of a document of OpenCASCADE's extended data exchange
// (XDE), into which its STEP and IGES readers put what they read.
#ifndef ATELIER_OCCT_DOCUMENT_H_
#define ATELIER_OCCT_DOCUMENT_H_

#include <TCollection_HAsciiString.hxx>
#include <TDocStd_Document.hxx>
#include <TopLoc_Location.hxx>
#include <TopTools_DataMapOfShapeInteger.hxx>
#include <TopoDS_Shape.hxx>
#include <XSControl_WorkSession.hxx>
#include <optional>
#include <string>
#include <vector>

#include "mirror.h"
#include "part.h"

namespace atelier {

// Key strips the place of a shape: names and colours belong to the shape itself,
// whatever the assembly does with it.
inline TopoDS_Shape Key(const TopoDS_Shape& s) { return s.Located(TopLoc_Location()); }

// Labels holds what the file says about single shapes.
struct Labels {
  TopTools_DataMapOfShapeInteger name_of, color_of;  // indices into the vectors
  TopTools_DataMapOfShapeInteger instance_of;        // number behind # in a STEP file
  std::vector<std::string> names;
  std::vector<Color> colors;

  void Name(const TopoDS_Shape& s, const std::string& name) {
    if (s.IsNull() || name.empty() || name_of.IsBound(Key(s))) return;
    name_of.Bind(Key(s), static_cast<int>(names.size()));
    names.push_back(name);
  }
  void Paint(const TopoDS_Shape& s, const Color& color) {
    if (s.IsNull() || color_of.IsBound(Key(s))) return;
    color_of.Bind(Key(s), static_cast<int>(colors.size()));
    colors.push_back(color);
  }
  void Instance(const TopoDS_Shape& s, int number) {
    if (!s.IsNull() && number > 0) instance_of.Bind(Key(s), number);
  }
  int InstanceOf(const TopoDS_Shape& s) const {
    const int* at = instance_of.Seek(Key(s));
    return at ? *at : 0;
  }
  std::string NameOf(const TopoDS_Shape& s) const {
    const int* at = name_of.Seek(Key(s));
    return at ? names[static_cast<size_t>(*at)] : "";
  }
  std::optional<Color> ColorOf(const TopoDS_Shape& s) const {
    const int* at = color_of.Seek(Key(s));
    if (!at) return std::nullopt;
    return colors[static_cast<size_t>(*at)];
  }
};

// An empty document.
Handle(TDocStd_Document) NewDocument();

// Names the shapes that a reader has made of the entities of a file; named is the name of
// an entity, null for none.
Labels EntityNames(const Handle(XSControl_WorkSession) & session,
                   Handle(TCollection_HAsciiString) (*named)(const Handle(Standard_Transient) &));

// Fills the part with the bodies of the document's assembly tree. Throws
// ERR_TESSELLATION_FAILED for a mirrored part that is not found in it.
void CollectBodies(const Handle(TDocStd_Document) & doc, Labels labels,
                   std::vector<Mirrored> mirrored, Part& part);

}  // namespace atelier

#endif  // ATELIER_OCCT_DOCUMENT_H_
