// What the shape of inlets and outlets says of a flow.
#include <cmath>
#include <map>

#include "flow.hpp"
#include "union_find.hpp"

namespace atelier {

std::vector<Region> ConnectedParts(const NodalSpace& velocity, const Region& region) {
  UnionFind sets(velocity.Nodes());
  for (int face : region.faces) {
    const std::vector<int> nodes = velocity.BoundaryDofs(face);
    for (int node : nodes) sets.Join(nodes[0], node);
  }
  std::map<int, Region> parts;
  for (int face : region.faces) {
    Region& part =
        parts.try_emplace(sets.Root(velocity.BoundaryDofs(face)[0]), region).first->second;
    if (part.faces.size() == region.faces.size()) part.faces.clear();
    part.faces.push_back(face);
  }
  std::vector<Region> out;
  for (auto& [root, part] : parts) out.push_back(std::move(part));
  return out;
}

namespace {

// The pressure of Taylor's scraper (1962) at a right angle, on the plate that moves along
// the other: p = kScraper mu U / r.
const double kScraper = M_PI / (M_PI * M_PI / 4 - 1);

// The edges of a boundary element, in 2-D its ends.
std::vector<int> Rim(const mfem::Mesh& mesh, int face, int dim) {
  mfem::Array<int> list, orientation;
  if (dim == 2) {
    mesh.GetBdrElementVertices(face, list);
  } else {
    mesh.GetBdrElementEdges(face, list, orientation);
  }
  return {list.begin(), list.end()};
}

double EdgeLength(const mfem::Mesh& mesh, int edge) {
  mfem::Array<int> ends;
  mesh.GetEdgeVertices(edge, ends);
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double d = mesh.GetVertex(ends[0])[k] - mesh.GetVertex(ends[1])[k];
    sum += k < mesh.SpaceDimension() ? d * d : 0;
  }
  return std::sqrt(sum);
}

}  // namespace

std::vector<double> WallVelocity(const Region& wall, int dim) {
  return wall.config.Has("velocity") ? wall.config.Vector("velocity", dim)
                                     : std::vector<double>(dim, 0.0);
}

bool HasUniformProfile(const Region& inlet) {
  return inlet.config.Choice("profile", "uniform", {"uniform", "parabolic"}) == "uniform";
}

double PressureOfRims(const Flow& f) {
  const mfem::Mesh& mesh = *f.domain.mesh;
  std::map<int, std::vector<double>> walls;  // by edge: how it moves
  for (const Region& r : f.regions) {
    if (r.type != "wall") continue;
    const std::vector<double> velocity = WallVelocity(r, f.dim);
    for (int face : r.faces) {
      for (int edge : Rim(mesh, face, f.dim)) walls[edge] = velocity;
    }
  }
  double sum = 0, area = 0;
  for (const Region& r : f.regions) {
    if (r.type != "inlet") continue;
    area += r.area;
    if (!HasUniformProfile(r)) continue;
    const std::vector<double> velocity = r.config.Vector("velocity", f.dim);
    for (int face : r.faces) {
      for (int edge : Rim(mesh, face, f.dim)) {
        const auto wall = walls.find(edge);
        if (wall == walls.end()) continue;
        double jump = 0;
        for (int k = 0; k < f.dim; k++) jump += std::pow(velocity[k] - wall->second[k], 2);
        sum += std::sqrt(jump) * (f.dim == 2 ? 1 : EdgeLength(mesh, edge));
      }
    }
  }
  return area > 0 ? kScraper * f.viscosity * std::log(2.0) * sum / area : 0;
}

}  // namespace atelier
