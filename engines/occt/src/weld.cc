#include "weld.h"

#include <BRep_Tool.hxx>
#include <Poly_PolygonOnTriangulation.hxx>
#include <Poly_Triangulation.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>
#include <TopoDS_Vertex.hxx>
#include <algorithm>
#include <map>

#include "union_find.hpp"

namespace atelier {
namespace {

// Welder numbers the nodes of all faces of a body one after the other and joins
// those that are one point of the exact shape.
class Welder {
 public:
  int32_t AddNode(const gp_Pnt& p) {
    points_.push_back({p.X(), p.Y(), p.Z()});
    return sets_.Add();
  }

  int32_t Root(int32_t i) { return sets_.Root(i); }
  void Join(int32_t a, int32_t b) { sets_.Join(a, b); }

  double Distance(int32_t a, int32_t b) const { return Norm(Minus(points_[a], points_[b])); }

  // UseEdge joins the nodes that a face has along an edge with those that the
  // faces before it had there, and its ends with the edge's vertices.
  void UseEdge(const TopoDS_Edge& edge, const std::vector<int32_t>& nodes) {
    if (nodes.empty()) return;
    if (BRep_Tool::Degenerated(edge)) {  // a pole or apex: all one point
      for (int32_t n : nodes) Join(nodes[0], n);
      JoinVertex(TopExp::FirstVertex(edge), nodes[0]);
      return;
    }
    int key = edges_.Add(edge);
    auto [at, first] = edge_nodes_.try_emplace(key, nodes);
    if (!first) JoinRuns(at->second, nodes);
    TopoDS_Vertex v1, v2;
    TopExp::Vertices(edge, v1, v2);  // by the curve's direction, as the nodes
    JoinVertex(v1, nodes.front());
    JoinVertex(v2, nodes.back());
  }

  std::vector<Vec3> points_;

 private:
  void JoinRuns(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
    if (a.size() != b.size()) return;  // discretised twice; the edge check will tell
    for (size_t i = 0; i < a.size(); ++i) Join(a[i], b[i]);
  }

  void JoinVertex(const TopoDS_Vertex& vertex, int32_t node) {
    if (vertex.IsNull()) return;
    auto [at, first] = vertex_nodes_.try_emplace(vertices_.Add(vertex), node);
    if (!first) Join(at->second, node);
  }

  UnionFind sets_;
  TopTools_IndexedMapOfShape edges_, vertices_;
  std::map<int, std::vector<int32_t>> edge_nodes_;
  std::map<int, int32_t> vertex_nodes_;
};

struct RawTriangle {
  Triangle nodes;
  int32_t face;
};

// AddFace takes a face's triangulation into the welder; false when it has none.
bool AddFace(const Face& face, bool flip_body, Welder& welder, std::vector<RawTriangle>& raw) {
  TopLoc_Location place;
  Handle(Poly_Triangulation) mesh = BRep_Tool::Triangulation(face.shape, place);
  if (mesh.IsNull() || mesh->NbTriangles() == 0) return false;
  const gp_Trsf to_world = place.Transformation();
  int32_t base = static_cast<int32_t>(welder.points_.size());
  for (int i = 1; i <= mesh->NbNodes(); ++i) welder.AddNode(mesh->Node(i).Transformed(to_world));

  // A face that is used reversed, and a mirrored placement, both turn triangles.
  bool flip = (face.shape.Orientation() == TopAbs_REVERSED) != to_world.IsNegative();
  flip = flip != flip_body;
  for (int i = 1; i <= mesh->NbTriangles(); ++i) {
    int a = 0, b = 0, c = 0;
    mesh->Triangle(i).Get(a, b, c);
    if (flip) std::swap(b, c);
    raw.push_back({{base + a - 1, base + b - 1, base + c - 1}, face.id});
  }
  for (TopExp_Explorer e(face.shape, TopAbs_EDGE); e.More(); e.Next()) {
    const TopoDS_Edge& edge = TopoDS::Edge(e.Current());
    Handle(Poly_PolygonOnTriangulation) run = BRep_Tool::PolygonOnTriangulation(edge, mesh, place);
    if (run.IsNull()) continue;
    std::vector<int32_t> nodes;
    for (int i = 1; i <= run->NbNodes(); ++i) nodes.push_back(base + run->Node(i) - 1);
    welder.UseEdge(edge, nodes);
  }
  return true;
}

bool Collapsed(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

// CancelPairs removes triangles that lie on each other with opposite sides: a
// sliver between two faces that the discretisation has flattened.
void CancelPairs(std::vector<RawTriangle>& raw) {
  struct Keyed {
    Triangle corners;  // sorted
    bool odd;          // sense of rotation of the triangle against the sorted corners
    size_t at;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    Triangle t = raw[i].nodes;
    bool odd = ((t[0] > t[1]) + (t[0] > t[2]) + (t[1] > t[2])) % 2 != 0;
    std::sort(t.begin(), t.end());
    keyed.push_back({t, odd, i});
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return a.corners != b.corners ? a.corners < b.corners : a.at < b.at;
  });
  std::vector<bool> gone(raw.size(), false);
  for (size_t i = 0; i + 1 < keyed.size(); ++i) {
    if (keyed[i].corners == keyed[i + 1].corners && keyed[i].odd != keyed[i + 1].odd &&
        !gone[keyed[i].at]) {
      gone[keyed[i].at] = gone[keyed[i + 1].at] = true;
    }
  }
  size_t n = 0;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (!gone[i]) raw[n++] = raw[i];
  }
  raw.resize(n);
}

}  // namespace

std::vector<int> AppendBody(const Part& part, const Body& body, Surface& out) {
  Welder welder;
  std::vector<RawTriangle> raw;
  std::vector<int> empty;
  for (size_t f : body.faces) {
    if (!AddFace(part.faces[f], body.inside_out, welder, raw)) empty.push_back(part.faces[f].id);
  }
  size_t n = 0;
  for (RawTriangle& t : raw) {
    for (int32_t& v : t.nodes) v = welder.Root(v);
    if (!Collapsed(t.nodes)) raw[n++] = t;
  }
  raw.resize(n);
  CancelPairs(raw);

  std::vector<int32_t> index(welder.points_.size(), -1);
  for (const RawTriangle& t : raw) {
    Triangle mapped;
    for (size_t k = 0; k < 3; ++k) {
      int32_t& at = index[t.nodes[k]];
      if (at < 0) {
        at = static_cast<int32_t>(out.points.size());
        out.points.push_back(welder.points_[t.nodes[k]]);
      }
      mapped[k] = at;
    }
    out.triangles.push_back(mapped);
    out.face.push_back(t.face);
  }
  return empty;
}

}  // namespace atelier
