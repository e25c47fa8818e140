// Factors by Eigen's LDL^T, for machines without MUMPS: slow beyond some ten thousand
// unknowns, and without pivoting.
#include <Eigen/SparseCholesky>
#include <cmath>

#include "memory_limit.hpp"
#include "symmetric_factors.hpp"

namespace atelier {
namespace {

constexpr double kMostUnknowns = 200000;
constexpr double kTinyPivot = 1e-12;  // of the largest: its sign is rounding
// Entries and operations of factors in nested dissection of a mesh in space, roughly
// (George and Liu, Computer Solution of Large Sparse Positive Definite Systems, ch. 8).
constexpr double kEntries = 12, kOperations = 60;

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor>;

// Row (i, r) of the symmetric matrix becomes its column.
Matrix LowerTriangle(const BlockCsr& a) {
  const int n = static_cast<int>(a.Size()), block = a.block;
  Matrix m(n, n);
  std::vector<int> length(n, 0);
  for (int i = 0; i < a.graph->Nodes(); i++) {
    for (int r = 0; r < block; r++) length[i * block + r] = a.graph->Length(i) * block;
  }
  m.reserve(length);
  for (int i = 0; i < a.graph->Nodes(); i++) {
    for (int r = 0; r < block; r++) {
      const double* row = a.Row(i, r);
      for (int k = 0; k < a.graph->Length(i); k++) {
        const int j = a.graph->col[a.graph->ptr[i] + k];
        for (int c = 0; c < block; c++) {
          const int to = j * block + c, from = i * block + r;
          if (to >= from && row[k * block + c] != 0) m.insert(to, from) = row[k * block + c];
        }
      }
    }
  }
  m.makeCompressed();
  return m;
}

class EigenFactors : public SymmetricFactors {
 public:
  EigenFactors(const BlockCsr& a, Kind kind) : n_(static_cast<double>(a.Size())), kind_(kind) {}

  double Operations() const override { return kOperations * n_ * n_; }
  double Entries() const override { return kEntries * std::pow(n_, 4.0 / 3); }
  double Bytes() const override { return 16 * Entries(); }

  Outcome Factorise(const BlockCsr& a) override {
    if (n_ > kMostUnknowns || Bytes() > 0.8 * FreeMemory()) return Outcome::kTooLarge;
    ldlt_.compute(LowerTriangle(a));
    if (ldlt_.info() != Eigen::Success) return Outcome::kSingular;
    const auto& pivots = ldlt_.vectorD();
    if (kind_ == Kind::kPositiveDefinite)
      return pivots.minCoeff() > 0 ? Outcome::kDone : Outcome::kIndefinite;
    const bool tiny = pivots.cwiseAbs().minCoeff() <= kTinyPivot * pivots.cwiseAbs().maxCoeff();
    return tiny ? Outcome::kSingular : Outcome::kDone;
  }
  int Negative() const override { return static_cast<int>((ldlt_.vectorD().array() < 0).count()); }
  void Solve(Values& b) const override {
    Eigen::Map<Eigen::VectorXd> x(b.data(), static_cast<Eigen::Index>(b.size()));
    x = ldlt_.solve(x).eval();
  }

 private:
  double n_;
  Kind kind_;
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower> ldlt_;
};

}  // namespace

std::string SymmetricFactors::Library() { return "Eigen"; }

std::unique_ptr<SymmetricFactors> SymmetricFactors::Analyse(const BlockCsr& a, Kind kind) {
  return std::make_unique<EigenFactors>(a, kind);
}

}  // namespace atelier
