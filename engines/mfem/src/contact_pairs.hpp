// Faces that may touch, press and rub each other: the contacts of a nonlinear analysis.
#pragma once

#include <array>
#include <iosfwd>
#include <map>

#include "contact.hpp"
#include "regions.hpp"
#include "rigid_body.hpp"

namespace atelier {

class CalculixModel;
struct Elasticity;

struct ContactPair {
  Config config;
  std::array<Region, 2> sides;  // as they are given
  // The side whose points are kept out of the other one: the finer, else the softer.
  int slave = 0;
  std::string reason = {};        // of that choice
  double friction = 0;            // coefficient
  double adjust = 0;              // gaps and overlaps that are closed at first, m
  double size = 0;                // of the slave's smallest face, m
  double young = 0;               // of the softer side, Pa
  double stiffness = 0;           // pressure over penetration, Pa/m
  std::vector<int> closed = {};   // nodes of the slave that touch the other side at first
  std::vector<Spring> held = {};  // what whole faces that touch hold

  const Region& Slave() const { return sides[slave]; }
  const Region& Master() const { return sides[1 - slave]; }
};

// What CalculiX found of a contact; forces are those on the slave, per metre of thickness in 2-D.
struct ContactState {
  std::vector<double> normal, shear;  // N
  double area = 0;                    // m^2
  // The largest mean over a face, Pa: at single points the pressure wavers where the faces of
  // the sides do not match, more on finer meshes of order 2.
  double pressure = 0;
  int face = -1;                // its boundary element
  double penetration = 0;       // the largest, m
  double sum = 0, sliding = 0;  // of pressures at points, and at those that slide
  struct OnFace {
    double sum = 0;  // Pa
    int points = 0;
  };
  std::map<int, OnFace> faces;  // boundary elements of the slave under pressure
};

// Reads config.contacts.
std::vector<ContactPair> ReadContacts(const Elasticity& p);
// Throws ERR_SINGULAR_SYSTEM where supports and contacts that are closed leave motions free.
void RequireHeldInContact(const Elasticity& p);
// Tells whether two faces of the mesh are sides of one contact.
Meant MayTouch(const Elasticity& p);
Meant MayTouch(const Elasticity& p, const std::vector<ContactPair>& contacts);

// The part of the deck before its step, and the tables of contact that are wanted of it.
void WriteContacts(const Elasticity& p, const CalculixModel& model, std::ostream& out);
void WriteContactTables(const Elasticity& p, const std::string& last, std::ostream& out);

// Collects what the tables say.
class ContactReader {
 public:
  ContactReader(const Elasticity& p, const CalculixModel& model);
  void Row(const std::string& title, const std::array<double, 8>& row);
  std::vector<ContactState> Take();

 private:
  void AtPoint(const std::string& title, const std::array<double, 8>& row);

  const Elasticity& p_;
  double thickness_;
  std::vector<std::map<long, int>> faces_;  // by contact: boundary element of element and face
  std::vector<ContactState> states_;
  int told_ = -1;  // the sum that is being read: two of every contact
};

// States figures and checks of the contacts.
void ReportContacts(Elasticity& p);
// Sentences of the summary, each after a blank; "" where there are no contacts.
std::string ContactSummary(const Elasticity& p);

}  // namespace atelier
