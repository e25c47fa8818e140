// Factors by MUMPS (Amestoy, Duff, L'Excellent and Koster, SIAM J. Matrix Anal. Appl. 23,
// 2001), its sequential build; the numbers of controls are those of its users' guide.
#include <dmumps_c.h>

#include <cstdlib>
#include <new>

#include "memory_limit.hpp"
#include "symmetric_factors.hpp"

namespace atelier {
namespace {

constexpr int kScotch = 3;  // ICNTL(7)
constexpr int kInitialise = -1, kEnd = -2, kAnalyse = 1, kFactorise = 2, kSolve = 3;
constexpr int kThisProcess = -987654;                   // the communicator of the sequential build
constexpr int kHeadroom = 5, kHeadroomOfPivoting = 30;  // per cent beyond the estimate
// Of the largest pivot: less is rounding. A plate of 1000 thicknesses has 1e-10, a
// part that nothing holds 1e-13 or less.
constexpr double kSmallestPivot = 1e-12;
constexpr double kLeastFill = 2;      // entries of the factors for one of the matrix
constexpr double kMemoryShare = 0.8;  // of what is free

class Mumps : public SymmetricFactors {
 public:
  Mumps(const BlockCsr& a, Kind kind) : kind_(kind) {
    // With several threads the ordering, and so the rounding, would differ from run to run.
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);
    id_.job = kInitialise;
    id_.par = 1;
    id_.sym = kind == Kind::kPositiveDefinite ? 1 : 2;
    id_.comm_fortran = kThisProcess;
    dmumps_c(&id_);
    Control(1, -1), Control(2, -1), Control(3, -1), Control(4, 0);  // no output
    Control(7, kScotch);
    Control(13, 1);  // the last front is factorised as the others, so that its pivots count
    Control(14, kind == Kind::kPositiveDefinite ? kHeadroom : kHeadroomOfPivoting);
    Control(24, kind == Kind::kIndefinite);  // null pivots are found, not divided by
    if (a.block > 1) Control(15, -a.block);  // nodes are ordered, not single unknowns
    MakeTriplets(a);
    Run(kAnalyse);
  }
  ~Mumps() override { Run(kEnd); }

  bool Fine() const { return id_.infog[0] >= 0; }
  double Operations() const override { return id_.rinfog[0]; }
  double Entries() const override { return Count(id_.infog[19]); }
  double Bytes() const override {
    return 1e6 * id_.infog[15] + (2.0 * sizeof(int) + sizeof(double)) * value_.size();
  }

  Outcome Factorise(const BlockCsr& a) override {
    if (Bytes() > kMemoryShare * FreeMemory()) return Outcome::kTooLarge;
    Run(kFactorise);
    row_ = column_ = {};
    value_ = {};
    if (id_.infog[0] == -10 || id_.infog[27] > 0) return Outcome::kSingular;
    if (!Fine()) return Outcome::kTooLarge;
    if (id_.rinfog[18] <= kSmallestPivot * id_.rinfog[20]) return Outcome::kSingular;
    if (kind_ == Kind::kPositiveDefinite && Negative() > 0) return Outcome::kIndefinite;
    return Outcome::kDone;
  }

  int Negative() const override { return id_.infog[11]; }

  void Solve(Values& b) const override {
    id_.rhs = b.data();
    id_.nrhs = 1;
    id_.lrhs = id_.n;
    Run(kSolve);
    if (!Fine()) throw std::bad_alloc();
  }

 private:
  void Control(int number, int value) { id_.icntl[number - 1] = value; }
  void Run(int job) const {
    id_.job = job;
    dmumps_c(&id_);
  }
  // Counts beyond an int are given negative, in millions.
  static double Count(int n) { return n < 0 ? -1e6 * n : n; }

  // The lower triangle by rows. Zeros of couplings stay out.
  void MakeTriplets(const BlockCsr& a) {
    const NodeGraph& g = *a.graph;
    const size_t most = (g.col.size() * a.block * a.block + a.Size()) / 2;
    row_.reserve(most), column_.reserve(most), value_.reserve(most);
    for (int i = 0; i < g.Nodes(); i++) {
      for (int r = 0; r < a.block; r++) {
        const double* entry = a.Row(i, r);
        const int from = i * a.block + r;
        for (int k = 0; k < g.Length(i) * a.block; k++) {
          const int to = g.col[g.ptr[i] + k / a.block] * a.block + k % a.block;
          if (to > from) break;
          if (entry[k] == 0 && to != from) continue;
          row_.push_back(from + 1);
          column_.push_back(to + 1);
          value_.push_back(entry[k]);
        }
      }
    }
    id_.n = static_cast<int>(a.Size());
    id_.nnz = static_cast<MUMPS_INT8>(value_.size());
    id_.irn = row_.data();
    id_.jcn = column_.data();
    id_.a = value_.data();
  }

  Kind kind_;
  mutable DMUMPS_STRUC_C id_ = {};
  std::vector<int> row_, column_;
  Values value_;
};

}  // namespace

std::string SymmetricFactors::Library() { return "MUMPS " MUMPS_VERSION; }

std::unique_ptr<SymmetricFactors> SymmetricFactors::Analyse(const BlockCsr& a, Kind kind) {
  if (kLeastFill * sizeof(double) * a.val.size() > kMemoryShare * FreeMemory()) return nullptr;
  auto factors = std::make_unique<Mumps>(a, kind);
  if (!factors->Fine()) return nullptr;
  return factors;
}

}  // namespace atelier
