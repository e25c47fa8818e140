// Separate bodies of a mesh, and what its boundary list leaves out.
#pragma once

#include <map>
#include <set>

#include "assembly.hpp"
#include "contact.hpp"
#include "evidence.hpp"
#include "regions.hpp"

namespace atelier {

// Body number of every element; bodies are joined through faces, or through
// vertices as well.
std::vector<int> Bodies(mfem::Mesh& mesh, bool through_vertices, int& count);

// The bodies that the faces of a region belong to. body: by element.
std::set<int> BodiesOf(const Domain& domain, const Region& region, const std::vector<int>& body);

// The number of the material of every element attribute that one names. The first alone may
// name none: it is then that of all bodies that no other names.
std::map<int, int> MaterialByAttribute(const Domain& domain, const std::vector<Config>& materials);
// The same by element: 0 where none names its attribute.
std::vector<int> MaterialByElement(const Domain& domain, const std::map<int, int>& by_attribute);

// States as failed checks: elements that occupy the same space, faces that touch
// without sharing nodes, and faces of the surface that the mesh's boundary list lacks
// where a condition's face goes on beyond the list (everywhere, if every face needs a
// condition). meant: whether two faces are meant to touch without common nodes.
void CheckMesh(const Domain& domain, const std::vector<Region>& regions, bool every_face,
               Evidence& evidence, const Meant& meant = {});

// Refuses a steady scalar problem in which a body is tied to no value.
// anchored: by node, whether its value is given or exchanged with a known one by one of bcs.
void RequireAnchored(const NodalSpace& space, const std::vector<char>& anchored,
                     const Config& config, const std::string& missing);

}  // namespace atelier
