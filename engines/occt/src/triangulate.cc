#include "triangulate.h"

#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <Message_ProgressIndicator.hxx>
#include <TopTools_DataMapOfShapeInteger.hxx>
#include <TopoDS_Compound.hxx>

#include "deviation.h"
#include "union_find.hpp"
#include "weld.h"

namespace atelier {
namespace {

// Watch stops OpenCASCADE at a time; it asks between faces and between insertions.
class Watch : public Message_ProgressIndicator {
 public:
  explicit Watch(Clock::time_point end) : end_(end) {}
  bool Over() const { return Clock::now() >= end_; }

 protected:
  bool UserBreak() override { return Over(); }
  void Show(const Message_ProgressScope&, const Standard_Boolean) override {}

 private:
  Clock::time_point end_;
};

}  // namespace

std::vector<Group> GroupsOf(const Part& part) {
  UnionFind sets(part.bodies.size());
  TopTools_DataMapOfShapeInteger owner;  // of each face wherever it is placed
  for (size_t i = 0; i < part.bodies.size(); ++i) {
    for (size_t f : part.bodies[i].faces) {
      TopoDS_Shape face = part.faces[f].shape.Located(TopLoc_Location());
      if (const int* other = owner.Seek(face)) {
        sets.Join(static_cast<int>(i), *other);
      } else {
        owner.Bind(face, static_cast<int>(i));
      }
    }
  }
  std::vector<Group> groups;
  std::vector<size_t> at(part.bodies.size());
  for (size_t i = 0; i < part.bodies.size(); ++i) {
    const auto root = static_cast<size_t>(sets.Root(static_cast<int>(i)));
    if (root == i) at[i] = groups.size(), groups.emplace_back();
    Group& group = groups[at[root]];
    group.bodies.push_back(i);
    group.faces += part.bodies[i].faces.size();
  }
  return groups;
}

bool Triangulate(const Part& part, const Group& group, const Plan& plan, Clock::time_point end) {
  TopoDS_Compound shape;
  BRep_Builder maker;
  maker.MakeCompound(shape);
  for (size_t i : group.bodies) maker.Add(shape, part.bodies[i].shape);
  BRepTools::Clean(shape);
  IMeshTools_Parameters p;
  p.Deflection = plan.linear;
  p.Angle = plan.angular;
  p.MeshAlgo = plan.algorithm;
  p.InParallel = false;  // the same triangles every time
  Handle(Watch) watch = new Watch(end);
  BRepMesh_IncrementalMesh(shape, p, watch->Start());
  return !watch->Over();
}

Piece Collected(const Part& part, const Body& body, const Plan& plan) {
  Piece piece;
  piece.plan = plan;
  piece.empty_faces = AppendBody(part, body, piece.surface);
  for (Vec3& p : piece.surface.points) {
    for (double& x : p) x /= part.unit_mm;
  }
  size_t n = piece.surface.triangles.size();
  piece.edges = CountEdges(piece.surface, 0, n);
  piece.volume = Volume(piece.surface, 0, n);
  piece.area = Area(piece.surface, 0, n);
  piece.deviation = MaxChordDeviation(part, body) / part.unit_mm;
  return piece;
}

}  // namespace atelier
