#include "calculix_deck.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

namespace atelier {

std::string Number(double x) { return Text(x, 12); }

namespace {

using mfem::Geometry;

// Positions in MFEM's element of the nodes of CalculiX's, corners first.
const std::vector<int> kTetrahedron = {0, 1, 2, 3, 4, 7, 5, 6, 8, 9};

// Corners of CalculiX's faces in their order.
const std::vector<std::vector<int>> kFaces4 = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
const std::vector<std::vector<int>> kFaces6 = {
    {0, 1, 2}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
const std::vector<std::vector<int>> kFaces8 = {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1},
                                               {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};

constexpr int kPerLine = 15;     // numbers on a line of the deck
constexpr double kLayer = 0.01;  // thickness of a plane problem's layer over the elements' size
constexpr double kContactLayer = 0.5;   // the same over the least size of faces in contact
constexpr double kNoTerm = 1e-14;       // of a direction: rounding
constexpr double kFirstStep = 0.1;      // of the load
constexpr char kLeastStep[] = ",1e-4";  // with large deflections

const char* Type(int corners, bool quadratic) {
  switch (corners) {
    case 4:
      return quadratic ? "C3D10" : "C3D4";
    case 6:
      return quadratic ? "C3D15" : "C3D6";
    // Reduced integration lets a row of single elements fold, and finds no equilibrium then.
    default:
      return quadratic ? "C3D20" : "C3D8";
  }
}

void WriteList(std::ostream& out, const std::vector<int>& numbers) {
  for (size_t i = 0; i < numbers.size(); i++) {
    out << numbers[i];
    if (i + 1 < numbers.size()) out << ((i + 1) % kPerLine == 0 ? ",\n" : ",");
  }
  out << "\n";
}

}  // namespace

CalculixModel::CalculixModel(const Elasticity& p)
    : p_(p), nodes_(p.space->Nodes()), followed_(p.space->Nodes()) {
  const NodalSpace& space = *p.space;
  if (p.dim == 1)
    throw Error(codes::kInvalidInput, "this analysis is for meshes of 2 and 3 dimensions")
        .At("/mesh");
  if (p.dim == 2) {
    double area = 0;
    for (int e = 0; e < space.Elements(); e++) area += space.Mesh().GetElementVolume(e);
    thickness_ = kLayer * std::sqrt(area / space.Elements());
    // Faces in contact are cut into triangles, which must not be slivers.
    if (p.nonlinear && !p.materials.lame.plane_stress) {
      for (const ContactPair& c : p.nonlinear->contacts)
        thickness_ = std::max(thickness_, kContactLayer * c.size);
    }
  }
  for (int e = 0; e < space.Elements(); e++) {
    if (space.Mesh().GetElementGeometry(e) == Geometry::PYRAMID)
      throw Error(codes::kInvalidInput, "the mesh has pyramids, and CalculiX has no such element")
          .At("/mesh")
          .Hint("Use a mesh of tetrahedra, hexahedra or prisms.");
    p.dim == 3 ? AddSolid(e) : AddLayer(e);
  }
}

void CalculixModel::AddSolid(int e) {
  const NodalSpace& space = *p_.space;
  const auto geometry = space.Mesh().GetElementGeometry(e);
  const int* dofs = space.Dofs(e);
  const bool quadratic = space.Order() == 2;
  const int corners = Geometry::NumVerts[geometry], edges = Geometry::NumEdges[geometry];
  Element element{Type(corners, quadratic), {}, corners};
  for (int a = 0; a < corners + (quadratic ? edges : 0); a++)
    element.nodes.push_back(dofs[corners == 4 ? kTetrahedron[a] : a] + 1);
  elements_.push_back(std::move(element));
  if (quadratic) Follow(dofs, geometry);
}

void CalculixModel::AddLayer(int e) {
  const NodalSpace& space = *p_.space;
  const auto geometry = space.Mesh().GetElementGeometry(e);
  const int* dofs = space.Dofs(e);
  const bool quadratic = space.Order() == 2;
  const int n = Geometry::NumVerts[geometry];
  Element element{Type(2 * n, quadratic), {}, 2 * n};
  auto add = [&](int first, int layer) {
    for (int a = first; a < first + n; a++) element.nodes.push_back(Copy(dofs[a], layer));
  };
  add(0, 0), add(0, 1);
  if (quadratic) add(n, 0), add(n, 1), add(0, 2);
  elements_.push_back(std::move(element));
  if (quadratic) Follow(dofs, geometry);
}

// The shape functions of the 8 and 20 node elements at the places of nodes that they lack.
void CalculixModel::Follow(const int* dofs, Geometry::Type geometry) {
  auto follow = [&](int node, const std::vector<int>& corners, double corner,
                    const std::vector<int>& middles, double middle) {
    auto& list = followed_[node];
    list.clear();
    for (int a : corners) list.emplace_back(dofs[a], corner);
    for (int a : middles) list.emplace_back(dofs[a], middle);
  };
  if (geometry == Geometry::SQUARE) follow(dofs[8], {0, 1, 2, 3}, -0.25, {4, 5, 6, 7}, 0.5);
  if (geometry == Geometry::PRISM) {
    follow(dofs[15], {0, 1, 3, 4}, -0.25, {6, 12, 9, 13}, 0.5);
    follow(dofs[16], {1, 2, 4, 5}, -0.25, {7, 13, 10, 14}, 0.5);
    follow(dofs[17], {2, 0, 5, 3}, -0.25, {8, 14, 11, 12}, 0.5);
  }
  if (geometry == Geometry::CUBE) {
    follow(dofs[20], {0, 1, 2, 3}, -0.25, {8, 9, 10, 11}, 0.5);
    follow(dofs[21], {0, 1, 5, 4}, -0.25, {8, 17, 12, 16}, 0.5);
    follow(dofs[22], {1, 2, 6, 5}, -0.25, {9, 18, 13, 17}, 0.5);
    follow(dofs[23], {2, 3, 7, 6}, -0.25, {10, 19, 14, 18}, 0.5);
    follow(dofs[24], {3, 0, 4, 7}, -0.25, {11, 16, 15, 19}, 0.5);
    follow(dofs[25], {4, 5, 6, 7}, -0.25, {12, 13, 14, 15}, 0.5);
    follow(dofs[26], {0, 1, 2, 3, 4, 5, 6, 7}, -0.25,
           {8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 0.25);
  }
}

std::vector<std::set<int>> CalculixModel::Numbers() const {
  std::vector<std::set<int>> out(nodes_);
  for (const Element& e : elements_) {
    for (int n : e.nodes) out[Node(n)].insert(n);
  }
  return out;
}

void CalculixModel::Condense(Values& nodal) const {
  const int dim = p_.dim;
  for (int node = 0; node < nodes_; node++) {
    for (const auto& [to, weight] : followed_[node]) {
      for (int c = 0; c < dim; c++)
        nodal[static_cast<size_t>(to) * dim + c] +=
            weight * nodal[static_cast<size_t>(node) * dim + c];
    }
    if (LeftOut(node)) std::fill_n(&nodal[static_cast<size_t>(node) * dim], dim, 0.0);
  }
}

void CalculixModel::Complete(Values& field) const {
  const size_t size = field.size() / nodes_;
  for (int node = 0; node < nodes_; node++) {
    if (!LeftOut(node)) continue;
    for (size_t c = 0; c < size; c++) {
      double sum = 0;
      for (const auto& [from, weight] : followed_[node]) sum += weight * field[from * size + c];
      field[node * size + c] = sum;
    }
  }
}

std::pair<int, int> CalculixModel::Face(int boundary) const {
  mfem::Mesh& mesh = p_.space->Mesh();
  int e, info;
  mesh.GetBdrElementAdjacentElement(boundary, e, info);
  const std::vector<int> dofs = p_.space->BoundaryDofs(boundary);
  const int corners = mesh.GetBdrElement(boundary)->GetNVertices();
  const Element& element = elements_[e];
  const auto& faces = element.corners == 4 ? kFaces4 : element.corners == 6 ? kFaces6 : kFaces8;
  for (size_t f = 0; f < faces.size(); f++) {
    const bool matches = std::all_of(faces[f].begin(), faces[f].end(), [&](int corner) {
      const int node = Node(element.nodes[corner]);
      return std::find(dofs.begin(), dofs.begin() + corners, node) != dofs.begin() + corners;
    });
    if (matches) return {e + 1, static_cast<int>(f) + 1};
  }
  throw Error(codes::kSolverFailed, "a boundary face is no face of its element");
}

void CalculixModel::WriteMesh(std::ostream& out) const {
  std::vector<char> used(3 * static_cast<size_t>(nodes_) + 1, 0);
  for (const Element& e : elements_) {
    for (int n : e.nodes) used[n] = 1;
  }
  out << "*NODE, NSET=ALL\n";
  for (int number = 1; number <= 3 * nodes_; number++) {
    if (!used[number]) continue;
    const int layer = (number - 1) / nodes_;
    const double* x = &p_.space->Coordinates()[static_cast<size_t>(Node(number)) * p_.dim];
    const double z = p_.dim == 3 ? x[2] : layer == 1 ? thickness_ : layer == 2 ? thickness_ / 2 : 0;
    out << number << "," << Number(x[0]) << "," << Number(x[1]) << "," << Number(z) << "\n";
  }
  const char* type = "";
  for (size_t e = 0; e < elements_.size(); e++) {
    if (std::string(type) != elements_[e].type)
      out << "*ELEMENT, TYPE=" << (type = elements_[e].type) << ", ELSET=ALL\n";
    std::vector<int> line = {static_cast<int>(e) + 1};
    line.insert(line.end(), elements_[e].nodes.begin(), elements_[e].nodes.end());
    WriteList(out, line);
  }
  if (p_.dim == 3) return;
  for (int number = 1; number <= 3 * nodes_; number++) {
    if (!used[number]) continue;
    if (Original(number) || !p_.materials.lame.plane_stress)
      out << "*BOUNDARY\n" << number << ",3,3\n";
    for (int c = 1; c <= 2 && !Original(number); c++)
      out << "*EQUATION\n2\n"
          << number << "," << c << ",1," << Node(number) + 1 << "," << c << ",-1\n";
  }
}

namespace {

void WritePlastic(std::ostream& out, const Config& m, double young) {
  const std::optional<Curve> flow = ReadFlowStress(m, young);
  if (!flow) return;
  out << "*PLASTIC\n";
  for (size_t i = 0; i < flow->Places().size(); i++)
    out << Number(flow->Points()[i]) << "," << Number(flow->Places()[i]) << "\n";
}

// In linear theory nothing yields.
void WriteMaterials(const Elasticity& p, bool plastic, std::ostream& out) {
  const std::vector<Config> list = p.config.List("materials");
  std::map<int, std::vector<int>> elements;
  for (size_t e = 0; e < p.materials.material.size(); e++)
    elements[p.materials.material[e]].push_back(static_cast<int>(e) + 1);
  for (const auto& [m, numbers] : elements) {
    const int first = numbers[0] - 1;
    const double nu = p.materials.lame.Nu(first), young = p.materials.lame.Young(first);
    out << "*ELSET, ELSET=M" << m << "\n";
    WriteList(out, numbers);
    out << "*MATERIAL, NAME=M" << m << "\n*ELASTIC\n" << Number(young) << "," << Number(nu) << "\n";
    if (plastic) WritePlastic(out, list[m], young);
    out << "*SOLID SECTION, ELSET=M" << m << ", MATERIAL=M" << m << "\n";
  }
}

// Each direction that holds a node as an equation whose first unknown no other one has, as
// CalculiX asks: by Gauss and Jordan with pivots from all unknowns.
void WriteSlanted(const Elasticity& p, const CalculixModel& model, std::ostream& out) {
  for (const Slanted& s : p.constraints->slanted) {
    if (model.LeftOut(s.node)) continue;
    const long rows = static_cast<long>(s.along.size());
    Eigen::MatrixXd a(rows, p.dim);
    for (long i = 0; i < rows; i++) {
      for (int c = 0; c < p.dim; c++) a(i, c) = s.along[i][c];
    }
    std::vector<int> pivot(rows);
    for (long i = 0; i < rows; i++) {
      Eigen::Index r, c;
      a.bottomRows(rows - i).cwiseAbs().maxCoeff(&r, &c);
      a.row(i).swap(a.row(i + r));
      a.row(i) /= a(i, c);
      pivot[i] = static_cast<int>(c);
      for (long k = 0; k < rows; k++) {
        if (k != i) a.row(k) -= a(k, c) * Eigen::RowVectorXd(a.row(i));
      }
    }
    for (long i = 0; i < rows; i++) {
      std::string terms;
      int count = 0;
      for (int k = 0; k < p.dim; k++) {
        const int c = (pivot[i] + k) % p.dim;
        if (std::abs(a(i, c)) < kNoTerm) continue;
        terms +=
            std::to_string(s.node + 1) + "," + std::to_string(c + 1) + "," + Number(a(i, c)) + ",";
        count++;
      }
      out << "*EQUATION\n" << count << "\n" << terms << "\n";
    }
  }
}

}  // namespace

bool IsPlastic(const Elasticity& p) {
  const std::vector<Config> list = p.config.List("materials");
  return std::any_of(list.begin(), list.end(), [](const Config& m) { return m.Has("yield"); });
}

void WriteDeck(const Elasticity& p, const CalculixModel& model, const CalculixStep& step,
               std::ostream& out) {
  model.WriteMesh(out);
  WriteMaterials(p, step.large, out);
  WriteContacts(p, model, out);
  WriteSlanted(p, model, out);
  const bool flows = step.large && IsPlastic(p);
  out << (step.large ? "*STEP, NLGEOM, INC=2000\n*STATIC\n" : "*STEP\n*STATIC\n")
      << Number(flows ? std::min(kFirstStep, step.most) : kFirstStep) << ",1"
      << (step.large ? kLeastStep : "") << (flows ? "," + Number(step.most) : "") << "\n";
  // The default, 0.5 % of the mean force, is too much beside figures of five digits.
  if (step.large) out << "*CONTROLS, PARAMETERS=FIELD\n1e-4,1e-3\n";
  auto each = [&](const char* keyword, auto line) {
    std::string lines;
    for (size_t u = 0; u < step.dead.size(); u++) {
      const std::string place = std::to_string(u / p.dim + 1) + "," + std::to_string(u % p.dim + 1);
      if (!model.LeftOut(static_cast<int>(u / p.dim))) lines += line(u, place);
    }
    if (!lines.empty()) out << keyword << "\n" << lines;
  };
  each("*BOUNDARY", [&](size_t u, const std::string& place) {
    if (!p.constraints->fixed[u]) return std::string();
    return place + "," + std::to_string(u % p.dim + 1) + "," + Number(p.constraints->value[u]) +
           "\n";
  });
  each("*CLOAD", [&](size_t u, const std::string& place) {
    if (step.dead[u] == 0 || p.constraints->fixed[u]) return std::string();
    return place + "," + Number(step.dead[u] * model.Thickness()) + "\n";
  });
  for (const Region* r : step.pressures) {
    out << "*DLOAD\n";
    for (int b : r->faces) {
      const auto [element, face] = model.Face(b);
      out << element << ",P" << face << "," << Number(Pressure(p, *r)) << "\n";
    }
  }
  const char* last = "FREQUENCY=1000000";
  out << "*NODE PRINT, NSET=ALL, " << last << "\nU,RF\n*EL PRINT, ELSET=ALL, " << last
      << "\nS,COORD,ELSE" << (step.large && IsPlastic(p) ? ",PEEQ" : "") << "\n";
  WriteContactTables(p, last, out);
  out << "*END STEP\n";
}

}  // namespace atelier
