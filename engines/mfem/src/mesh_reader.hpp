// Reads volume meshes. MFEM's own text format goes through a strict and fast
// reader of ours (a truncated or damaged file is refused, with the place);
// curved meshes and the other formats go through MFEM's readers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mfem.hpp"
#include "protocol.hpp"

namespace atelier {

// What a mesh file holds beside the mesh itself.
struct MeshMetadata {
  std::string length_unit;                             // empty when the file does not say
  std::map<std::string, std::vector<int>> face_names;  // name -> boundary attributes
};

struct MeshFile {
  std::unique_ptr<mfem::Mesh> mesh;
  MeshMetadata metadata;
  Warnings warnings;
};

// Throws Error ERR_FILE_EMPTY, ERR_MESH_UNREADABLE or ERR_MESH_INVERTED.
MeshFile ReadMesh(const std::string& path);

}  // namespace atelier
