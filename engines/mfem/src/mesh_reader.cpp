#include "mesh_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace atelier {
namespace {

Error Unreadable(const std::string& message) {
  return Error(codes::kMeshUnreadable, "the mesh cannot be read: " + message)
      .At("/mesh")
      .Hint(
          "Give a volume mesh that MFEM reads: MFEM v1.x, Gmsh 2.2 (.msh), VTK/VTU or Netgen; "
          "volume_mesh_quartet writes volume_mesh.mesh.");
}

// Words and numbers of a text, with the line for messages.
class Scanner {
 public:
  explicit Scanner(const std::string& text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  const char* Mark() const { return at_; }
  void Rewind(const char* mark) { at_ = mark; }

  std::string Word() {
    Skip();
    const char* start = at_;
    while (at_ < end_ && !Blank(*at_)) at_++;
    if (start == at_) throw Unreadable("the file ends in the middle (line " + Line() + ")");
    return std::string(start, at_);
  }

  void Expect(const char* word) {
    const std::string got = Word();
    if (got != word) {
      throw Unreadable("line " + Line() + ": expected \"" + word + "\", found \"" +
                       got.substr(0, 40) + "\"");
    }
  }

  long Integer(const char* what) { return Parse<long>(what); }
  double Real(const char* what) { return Parse<double>(what); }

  // A name in double quotes, as MFEM writes those of attribute sets.
  std::string Quoted() {
    Skip();
    if (at_ >= end_ || *at_ != '"') return Word();
    const char* start = ++at_;
    while (at_ < end_ && *at_ != '"') at_++;
    if (at_ >= end_) throw Unreadable("an attribute set's name has no closing quote");
    return std::string(start, at_++);
  }

  // A count of things of so many numbers each. One that the rest of the file cannot hold
  // is refused before anything is made room for.
  long Count(const char* what, int numbers) {
    const long n = Integer(what);
    const long room = (end_ - at_ + 1) / (2L * numbers);  // a digit and a blank for each number
    if (n < 0 || n > room) {
      throw Unreadable("line " + Line() + ": " + what + " is " + std::to_string(n) +
                       ", but the rest of the file has room for at most " + std::to_string(room));
    }
    return n;
  }

  std::string Line() const {
    return std::to_string(1 + std::count(begin_, std::min(at_, end_), '\n'));
  }

 private:
  static bool Blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  void Skip() {
    while (at_ < end_) {
      if (Blank(*at_)) {
        at_++;
      } else if (*at_ == '#') {
        while (at_ < end_ && *at_ != '\n') at_++;
      } else {
        return;
      }
    }
  }

  template <class T>
  T Parse(const char* what) {
    Skip();
    if (at_ < end_ && *at_ == '+') at_++;
    T value{};
    auto [next, error] = std::from_chars(at_, end_, value);
    if (at_ >= end_) throw Unreadable(std::string("the file ends where ") + what + " is expected");
    if (error != std::errc() || (next < end_ && !Blank(*next))) {
      throw Unreadable("line " + Line() + ": " + what + " expected, found \"" +
                       std::string(at_, std::find_if(at_, std::min(at_ + 30, end_), Blank)) + "\"");
    }
    at_ = next;
    return value;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
};

constexpr int kVertexCount[] = {1, 2, 3, 4, 4, 8, 6, 5};  // by MFEM's geometry number
constexpr int kDimension[] = {0, 1, 2, 2, 3, 3, 3, 3};

struct Cell {
  int attribute, geometry, vertex[8];
};

struct Parsed {
  int dimension = 0, space = 0;
  std::vector<Cell> elements, boundary;
  std::vector<double> points;  // [vertex][space]
  bool curved = false;
};

std::vector<Cell> ReadCells(Scanner& in, const char* what, int dimension) {
  // attribute, geometry and at least one vertex more than the dimension
  const long n = in.Count((std::string("the number of ") + what).c_str(), dimension + 3);
  std::vector<Cell> cells(n);
  for (Cell& c : cells) {
    c.attribute = static_cast<int>(in.Integer("an attribute"));
    c.geometry = static_cast<int>(in.Integer("a geometry type"));
    if (c.geometry < 0 || c.geometry > 7 || kDimension[c.geometry] != dimension) {
      throw Unreadable("line " + in.Line() + ": geometry type " + std::to_string(c.geometry) +
                       " does not fit the " + what + " of this mesh");
    }
    if (c.attribute < 1) {
      throw Unreadable("line " + in.Line() + ": attributes must be positive numbers");
    }
    for (int i = 0; i < kVertexCount[c.geometry]; i++) {
      c.vertex[i] = static_cast<int>(in.Integer("a vertex number"));
    }
  }
  return cells;
}

void ReadSets(Scanner& in, std::map<std::string, std::vector<int>>* names) {
  const long sets = in.Count("the number of attribute sets", 2);
  for (long i = 0; i < sets; i++) {
    const std::string name = in.Quoted();
    const long n = in.Count("the size of an attribute set", 1);
    for (long k = 0; k < n; k++) {
      const int attribute = static_cast<int>(in.Integer("an attribute"));
      if (names) (*names)[name].push_back(attribute);
    }
  }
}

Parsed ParseText(const std::string& text, MeshMetadata& metadata) {
  Scanner in(text);
  in.Expect("MFEM");
  in.Expect("mesh");
  const std::string version = in.Word();
  Parsed p;
  in.Expect("dimension");
  p.dimension = static_cast<int>(in.Integer("the dimension"));
  if (p.dimension < 1 || p.dimension > 3) throw Unreadable("the dimension must be 1, 2 or 3");
  in.Expect("elements");
  p.elements = ReadCells(in, "elements", p.dimension);
  if (version == "v1.3") {
    in.Expect("attribute_sets");
    ReadSets(in, nullptr);
  }
  in.Expect("boundary");
  p.boundary = ReadCells(in, "boundary", p.dimension - 1);
  if (version == "v1.3") {
    in.Expect("bdr_attribute_sets");
    ReadSets(in, &metadata.face_names);
  }
  in.Expect("vertices");
  const long vertices = in.Count("the number of vertices", 1);
  const char* mark = in.Mark();
  if (in.Word() == "nodes") {
    p.curved = true;
    return p;
  }
  in.Rewind(mark);
  p.space = static_cast<int>(in.Integer("the space dimension"));
  if (p.space < p.dimension || p.space > 3) {
    throw Unreadable("line " + in.Line() + ": the space dimension is " + std::to_string(p.space) +
                     ", expected " + std::to_string(p.dimension) + " to 3");
  }
  p.points.resize(static_cast<size_t>(vertices) * p.space);
  for (double& x : p.points) {
    x = in.Real("a coordinate");
    if (!std::isfinite(x)) throw Unreadable("line " + in.Line() + ": a coordinate is not finite");
  }
  return p;
}

void CheckVertices(const Parsed& p) {
  const int vertices = static_cast<int>(p.points.size() / p.space);
  for (const auto* cells : {&p.elements, &p.boundary}) {
    for (const Cell& c : *cells) {
      for (int i = 0; i < kVertexCount[c.geometry]; i++) {
        if (c.vertex[i] < 0 || c.vertex[i] >= vertices) {
          throw Unreadable("a cell names vertex " + std::to_string(c.vertex[i]) + " of " +
                           std::to_string(vertices));
        }
      }
    }
  }
}

// Vertices of no element would give empty rows in every system: leave them out.
void DropUnusedVertices(Parsed& p, Warnings& warnings) {
  const int vertices = static_cast<int>(p.points.size() / p.space);
  std::vector<int> number(vertices, -1);
  for (const Cell& c : p.elements) {
    for (int i = 0; i < kVertexCount[c.geometry]; i++) number[c.vertex[i]] = 0;
  }
  int used = 0;
  for (int v = 0; v < vertices; v++) {
    if (number[v] < 0) continue;
    number[v] = used;
    for (int k = 0; k < p.space; k++) p.points[used * p.space + k] = p.points[v * p.space + k];
    used++;
  }
  if (used == vertices) return;
  p.points.resize(static_cast<size_t>(used) * p.space);
  for (Cell& c : p.elements) {
    for (int i = 0; i < kVertexCount[c.geometry]; i++) c.vertex[i] = number[c.vertex[i]];
  }
  for (Cell& c : p.boundary) {
    for (int i = 0; i < kVertexCount[c.geometry]; i++) {
      c.vertex[i] = number[c.vertex[i]];
      if (c.vertex[i] < 0) throw Unreadable("a boundary cell uses a vertex that no element has");
    }
  }
  warnings.push_back({"unused_vertices", std::to_string(vertices - used) +
                                             " vertices belong to no element and were left out."});
}

// Sign of the corner Jacobian at a cell's first vertex.
double Handedness(const Parsed& p, const Cell& c) {
  constexpr int kNeighbours[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {1, 3, 0},
                                     {1, 2, 3}, {1, 3, 4}, {1, 2, 3}, {1, 3, 4}};
  double d[3][3] = {};
  for (int i = 0; i < p.dimension; i++) {
    for (int k = 0; k < p.dimension; k++) {
      d[i][k] = p.points[static_cast<size_t>(c.vertex[kNeighbours[c.geometry][i]]) * p.space + k] -
                p.points[static_cast<size_t>(c.vertex[0]) * p.space + k];
    }
  }
  if (p.dimension == 1) return d[0][0];
  if (p.dimension == 2) return d[0][0] * d[1][1] - d[0][1] * d[1][0];
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
         d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

// A mesh that is left-handed throughout is only numbered the other way round:
// turn it. Some inverted elements among good ones are a fault, found later.
void TurnLeftHanded(Parsed& p, Warnings& warnings) {
  if (p.space != p.dimension) return;
  for (const Cell& c : p.elements) {
    if (Handedness(p, c) >= 0) return;
  }
  for (Cell& c : p.elements) {
    int* v = c.vertex;
    switch (c.geometry) {
      case mfem::Geometry::SQUARE:
      case mfem::Geometry::PYRAMID:
        std::swap(v[1], v[3]);
        break;
      case mfem::Geometry::CUBE:
        std::swap(v[1], v[3]);
        std::swap(v[5], v[7]);
        break;
      case mfem::Geometry::PRISM:
        std::swap(v[0], v[1]);
        std::swap(v[3], v[4]);
        break;
      default:
        std::swap(v[0], v[1]);
    }
  }
  warnings.push_back({"mesh_turned", "All elements are left-handed; their numbering was turned."});
}

std::unique_ptr<mfem::Mesh> Build(const Parsed& p) {
  const int vertices = static_cast<int>(p.points.size() / p.space);
  auto mesh =
      std::make_unique<mfem::Mesh>(p.dimension, vertices, static_cast<int>(p.elements.size()),
                                   static_cast<int>(p.boundary.size()), p.space);
  for (int v = 0; v < vertices; v++) mesh->AddVertex(&p.points[static_cast<size_t>(v) * p.space]);
  auto make = [&](const Cell& c) {
    mfem::Element* e = mesh->NewElement(c.geometry);
    e->SetVertices(c.vertex);
    e->SetAttribute(c.attribute);
    return e;
  };
  for (const Cell& c : p.elements) mesh->AddElement(make(c));
  for (const Cell& c : p.boundary) mesh->AddBdrElement(make(c));
  mesh->FinalizeTopology(true);
  mesh->Finalize(false, false);
  return mesh;
}

void ReadMetadata(const std::string& text, MeshMetadata& metadata) {
  const std::string key = "# atelier ";
  const size_t at = text.substr(0, 65536).find(key);
  if (at == std::string::npos) return;
  const size_t start = at + key.size();
  const Json meta = Json::parse(text.substr(start, text.find('\n', start) - start), nullptr, false);
  if (!meta.is_object()) return;
  if (meta.contains("length_unit") && meta["length_unit"].is_string()) {
    metadata.length_unit = meta["length_unit"];
  }
  if (!meta.contains("faces") || !meta["faces"].is_array()) return;
  for (const Json& face : meta["faces"]) {
    if (!face.is_object() || !face.contains("name") || !face["name"].is_string()) continue;
    if (!face.contains("id") || !face["id"].is_number_integer()) continue;
    auto& attributes = metadata.face_names[face["name"].get<std::string>()];
    const int id = face["id"];
    if (std::find(attributes.begin(), attributes.end(), id) == attributes.end()) {
      attributes.push_back(id);
    }
  }
}

constexpr char kNotJoined[] =
    "its cells do not fit together: a face belongs to more than two elements, or a boundary cell "
    "to none";

// What a message of MFEM means for the file; the message itself is in the details.
Error Refused(const std::string& message) {
  constexpr std::pair<const char*, const char*> kMeanings[] = {
      {"face found", kNotJoined},
      {"edge found", kNotJoined},
      {"nknown input mesh format", "its format is none of those that are read"},
      {"end of file", "it ends in the middle"},
      {"lement type", "it has cells of a kind that is not read"},
      {"not supported", "it is of a version, or has cells, that are not read"},
      {"nsupported", "it is of a version, or has cells, that are not read"},
  };
  EmitLog("debug", message);
  const char* meaning = "the cells, vertices or sections in it do not make a whole";
  for (const auto& [part, means] : kMeanings) {
    if (message.find(part) == std::string::npos) continue;
    meaning = means;
    break;
  }
  return Unreadable(meaning).With("library_message", message.substr(0, 300));
}

std::unique_ptr<mfem::Mesh> ReadByMfem(const std::string& path, MeshMetadata& metadata) {
  try {
    auto mesh = std::make_unique<mfem::Mesh>(path.c_str(), 1, 0, false);
    for (const std::string& name : mesh->bdr_attribute_sets.GetAttributeSetNames()) {
      const mfem::Array<int>& set = mesh->bdr_attribute_sets.GetAttributeSet(name);
      metadata.face_names[name].assign(set.begin(), set.end());
    }
    if (mesh->Nonconforming())
      throw Unreadable("it has hanging nodes (a non-conforming refinement)");
    // The kernels evaluate polynomial geometry; splines are replaced by a cubic fit.
    if (mesh->NURBSext) mesh->SetCurvature(3);
    return mesh;
  } catch (const mfem::ErrorException& e) {
    throw Refused(e.what());
  }
}

}  // namespace

MeshFile ReadMesh(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw Unreadable("no such file");
  std::string text(static_cast<size_t>(in.tellg()), '\0');
  in.seekg(0);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (text.find_first_not_of(" \r\n\t") == std::string::npos) {
    throw Error(codes::kFileEmpty, "the mesh file has no content").At("/mesh");
  }
  MeshFile file;
  ReadMetadata(text, file.metadata);
  const bool own = text.rfind("MFEM mesh v1.0", 0) == 0 || text.rfind("MFEM mesh v1.2", 0) == 0 ||
                   text.rfind("MFEM mesh v1.3", 0) == 0;
  Parsed parsed;
  if (own) parsed = ParseText(text, file.metadata);
  if (own && !parsed.curved) {
    if (parsed.elements.empty()) throw Unreadable("it has no elements");
    CheckVertices(parsed);
    DropUnusedVertices(parsed, file.warnings);
    TurnLeftHanded(parsed, file.warnings);
    try {
      file.mesh = Build(parsed);
    } catch (const mfem::ErrorException& e) {
      EmitLog("debug", e.what());
      throw Unreadable(kNotJoined).With("library_message", std::string(e.what()).substr(0, 300));
    }
  } else {
    file.metadata.face_names.clear();
    file.mesh = ReadByMfem(path, file.metadata);
    ReadMetadata(text, file.metadata);
  }
  return file;
}

}  // namespace atelier
