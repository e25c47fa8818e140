#include "vtu_writer.hpp"

#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>

namespace atelier {
namespace {

using Corners = std::vector<int>;

// VTK's nodes of a cell: each is the mean of these corners of MFEM's element.
struct CellType {
  int vtk;
  std::vector<Corners> nodes;
};

CellType LinearCell(mfem::Geometry::Type g) {
  switch (g) {
    case mfem::Geometry::SEGMENT:
      return {3, {{0}, {1}}};
    case mfem::Geometry::TRIANGLE:
      return {5, {{0}, {1}, {2}}};
    case mfem::Geometry::SQUARE:
      return {9, {{0}, {1}, {2}, {3}}};
    case mfem::Geometry::TETRAHEDRON:
      return {10, {{0}, {1}, {2}, {3}}};
    case mfem::Geometry::CUBE:
      return {12, {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}};
    case mfem::Geometry::PRISM:
      return {13, {{0}, {1}, {2}, {3}, {4}, {5}}};
    default:
      return {14, {{0}, {1}, {2}, {3}, {4}}};
  }
}

CellType QuadraticCell(mfem::Geometry::Type g) {
  CellType c = LinearCell(g);
  auto add = [&c](int type, std::initializer_list<Corners> more) {
    c.vtk = type;
    c.nodes.insert(c.nodes.end(), more);
  };
  switch (g) {
    case mfem::Geometry::SEGMENT:
      add(21, {{0, 1}});
      break;
    case mfem::Geometry::TRIANGLE:
      add(22, {{0, 1}, {1, 2}, {2, 0}});
      break;
    case mfem::Geometry::SQUARE:
      add(28, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1, 2, 3}});
      break;
    case mfem::Geometry::TETRAHEDRON:
      add(24, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}});
      break;
    case mfem::Geometry::CUBE:
      add(29, {{0, 1},
               {1, 2},
               {2, 3},
               {3, 0},
               {4, 5},
               {5, 6},
               {6, 7},
               {7, 4},
               {0, 4},
               {1, 5},
               {2, 6},
               {3, 7},
               {0, 3, 4, 7},
               {1, 2, 5, 6},
               {0, 1, 4, 5},
               {2, 3, 6, 7},
               {0, 1, 2, 3},
               {4, 5, 6, 7},
               {0, 1, 2, 3, 4, 5, 6, 7}});
      break;
    case mfem::Geometry::PRISM:
      add(32, {{0, 1},
               {1, 2},
               {2, 0},
               {3, 4},
               {4, 5},
               {5, 3},
               {0, 3},
               {1, 4},
               {2, 5},
               {0, 1, 4, 3},
               {1, 2, 5, 4},
               {2, 0, 3, 5}});
      break;
    default:
      break;  // quadratic pyramids are shown by their corners
  }
  return c;
}

// Which of the element's nodes stands at each of VTK's.
std::vector<int> NodeOrder(const CellType& cell, mfem::Geometry::Type g,
                           const mfem::FiniteElement& fe) {
  const mfem::IntegrationRule& corners = *mfem::Geometries.GetVertices(g);
  const mfem::IntegrationRule& nodes = fe.GetNodes();
  std::vector<int> order;
  for (const Corners& set : cell.nodes) {
    double x[3] = {};
    for (int c : set) {
      x[0] += corners[c].x / set.size();
      x[1] += corners[c].y / set.size();
      x[2] += corners[c].z / set.size();
    }
    int best = 0;
    double least = 1e9;
    for (int a = 0; a < nodes.GetNPoints(); a++) {
      const double d = std::hypot(nodes[a].x - x[0], nodes[a].y - x[1], nodes[a].z - x[2]);
      if (d < least) {
        least = d;
        best = a;
      }
    }
    order.push_back(best);
  }
  return order;
}

// The appended part of a VTU file: blocks compressed by threads.
class Appended {
 public:
  template <class T>
  size_t Add(const std::vector<T>& data) {
    const size_t at = bytes_.size();
    Compress(reinterpret_cast<const unsigned char*>(data.data()), data.size() * sizeof(T));
    return at;
  }
  const std::string& Bytes() const { return bytes_; }

 private:
  void Compress(const unsigned char* data, size_t size) {
    constexpr size_t kBlock = 1 << 18;
    const size_t blocks = (size + kBlock - 1) / kBlock;
    std::vector<std::string> out(blocks);
#pragma omp parallel for schedule(dynamic)
    for (size_t b = 0; b < blocks; b++) {
      const size_t n = std::min(kBlock, size - b * kBlock);
      uLongf room = compressBound(n);
      out[b].resize(room);
      compress2(reinterpret_cast<unsigned char*>(out[b].data()), &room, data + b * kBlock, n, 1);
      out[b].resize(room);
    }
    std::vector<uint64_t> header = {blocks, kBlock, size % kBlock};
    for (const std::string& o : out) header.push_back(o.size());
    bytes_.append(reinterpret_cast<const char*>(header.data()), header.size() * sizeof(uint64_t));
    for (const std::string& o : out) bytes_ += o;
  }
  std::string bytes_;
};

int StoredComponents(int components) { return components == 2 ? 3 : components; }

std::vector<float> Stored(const std::vector<double>& v, int components) {
  if (components != 2) return std::vector<float>(v.begin(), v.end());
  std::vector<float> out(v.size() / 2 * 3, 0.f);
  for (size_t i = 0; i < v.size() / 2; i++) {
    out[3 * i] = static_cast<float>(v[2 * i]);
    out[3 * i + 1] = static_cast<float>(v[2 * i + 1]);
  }
  return out;
}

std::string ArrayTag(const char* type, const std::string& name, int components, size_t offset) {
  return std::string("<DataArray type=\"") + type + "\" Name=\"" + name +
         "\" NumberOfComponents=\"" + std::to_string(components) +
         "\" format=\"appended\" offset=\"" + std::to_string(offset) + "\"/>\n";
}

Json Range(const std::string& name, const char* location, int components, const std::string& unit,
           const std::vector<double>& v) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i + components <= v.size(); i += components) {
    double x = v[i];
    if (components > 1) {
      double s = 0;
      for (int c = 0; c < components; c++) s += (c >= 3 ? 2 : 1) * v[i + c] * v[i + c];
      x = std::sqrt(s);
    }
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return {{"name", name}, {"location", location}, {"components", StoredComponents(components)},
          {"unit", unit}, {"min", low},           {"max", high}};
}

}  // namespace

VtuWriter::VtuWriter(const NodalSpace& space, std::string folder)
    : space_(&space), folder_(std::move(folder)), collection_(folder_ + "/" + folder_ + ".pvd") {
  std::filesystem::create_directories(folder_);
  MakeCells();
}

void VtuWriter::MakeCells() {
  std::map<int, std::pair<CellType, std::vector<int>>> cache;
  for (int e = 0; e < space_->Elements(); e++) {
    const auto g = space_->Mesh().GetElementGeometry(e);
    auto it = cache.find(g);
    if (it == cache.end()) {
      const CellType cell = space_->Order() == 1 ? LinearCell(g) : QuadraticCell(g);
      it = cache.emplace(g, std::make_pair(cell, NodeOrder(cell, g, space_->Element(e)))).first;
    }
    for (int a : it->second.second) connectivity_.push_back(space_->Dofs(e)[a]);
    offsets_.push_back(static_cast<long long>(connectivity_.size()));
    types_.push_back(static_cast<unsigned char>(it->second.first.vtk));
  }
}

void VtuWriter::Write(double time, const std::vector<PointField>& points,
                      const std::vector<CellField>& cells) {
  Appended data;
  std::string point_tags, cell_tags;
  fields_ = Json::array();
  for (const PointField& f : points) {
    point_tags += ArrayTag("Float32", f.name, StoredComponents(f.components),
                           data.Add(Stored(*f.values, f.components)));
    fields_.push_back(Range(f.name, "point", f.components, f.unit, *f.values));
  }
  for (const CellField& f : cells) {
    cell_tags += ArrayTag("Float32", f.name, 1, data.Add(Stored(*f.values, 1)));
    fields_.push_back(Range(f.name, "cell", 1, f.unit, *f.values));
  }
  const int dim = space_->Dimension();
  std::vector<double> xyz(static_cast<size_t>(space_->Nodes()) * 3, 0.0);
  for (int i = 0; i < space_->Nodes(); i++) {
    for (int k = 0; k < dim; k++)
      xyz[static_cast<size_t>(i) * 3 + k] = space_->Coordinates()[static_cast<size_t>(i) * dim + k];
  }
  const std::string xyz_tag = ArrayTag("Float64", "Points", 3, data.Add(xyz));
  std::string shape_tags = ArrayTag("Int64", "connectivity", 1, data.Add(connectivity_));
  shape_tags += ArrayTag("Int64", "offsets", 1, data.Add(offsets_));
  shape_tags += ArrayTag("UInt8", "types", 1, data.Add(types_));

  char number[16];
  std::snprintf(number, sizeof number, "%06d", States());
  const std::string name = folder_ + "_" + number + ".vtu";
  std::ofstream out(folder_ + "/" + name, std::ios::binary);
  Json units = Json::object();
  for (const Json& field : fields_) units[field["name"].get<std::string>()] = field["unit"];
  out << "<?xml version=\"1.0\"?>\n<!-- atelier "
      << Json{{"units", units}, {"length_unit", "m"}}.dump()
      << " -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
         "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
         "compressor=\"vtkZLibDataCompressor\">\n"
         "<UnstructuredGrid>\n<Piece NumberOfPoints=\""
      << space_->Nodes() << "\" NumberOfCells=\"" << space_->Elements() << "\">\n<PointData>\n"
      << point_tags << "</PointData>\n<CellData>\n"
      << cell_tags << "</CellData>\n<Points>\n"
      << xyz_tag << "</Points>\n<Cells>\n"
      << shape_tags << "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_"
      << data.Bytes() << "\n</AppendedData>\n</VTKFile>\n";
  out.close();
  if (!out) throw Error(codes::kSolverFailed, "the field file " + name + " could not be written");
  files_.push_back(name);
  times_.push_back(time);
  WriteCollection();
}

void VtuWriter::WriteCollection() const {
  std::ofstream out(collection_);
  out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
         "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (size_t i = 0; i < files_.size(); i++) {
    out << "<DataSet timestep=\"" << Text(times_[i], 17) << "\" group=\"\" part=\"0\" file=\""
        << files_[i] << "\"/>\n";
  }
  out << "</Collection>\n</VTKFile>\n";
}

Json VtuWriter::Artifact() const {
  Json files = Json::array();
  for (const std::string& f : files_) files.push_back(folder_ + "/" + f);
  return {
      {"name", collection_}, {"mime_type", "application/xml"}, {"files", files}, {"primary", true}};
}

}  // namespace atelier
