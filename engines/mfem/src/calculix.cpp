#include "calculix.hpp"

#include <fcntl.h>
#include <omp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;

namespace atelier {
namespace {

constexpr char kJob[] = "calculix";  // the stem of its files' names
constexpr char kLog[] = "calculix.log";
constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr double kBegun = 0.3, kEnded = 0.75;  // of the progress of the whole solve

// The environment with as many threads as this process would use.
std::vector<std::string> Environment() {
  const std::string threads = "OMP_NUM_THREADS=";
  std::vector<std::string> all = {threads + std::to_string(omp_get_max_threads())};
  for (char** e = environ; *e; e++) {
    if (std::string(*e).rfind(threads, 0) != 0) all.emplace_back(*e);
  }
  return all;
}

pid_t Start() {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, kLog, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  std::vector<std::string> words = {"ccx", "-i", kJob}, environment = Environment();
  std::vector<char*> arguments, variables;
  for (std::string& w : words) arguments.push_back(w.data());
  for (std::string& e : environment) variables.push_back(e.data());
  arguments.push_back(nullptr), variables.push_back(nullptr);
  pid_t child = 0;
  const int fault =
      posix_spawnp(&child, words[0].c_str(), &files, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  if (fault == ENOENT || fault == EACCES)
    throw Error(codes::kMissingDependency,
                "this analysis needs CalculiX, and there is no program \"ccx\" that may be run")
        .At("/config")
        .Hint("Run engines/install.sh calculix; Debian has it as calculix-ccx.");
  if (fault != 0)
    throw Error(codes::kSolverFailed, "CalculiX could not be started").With("errno", fault);
  return child;
}

// The share of the load at the end of the last increment that converged, and how many there
// were. Lines of the table: step, increment, attempt (marked where it failed), iterations,
// time in all, time in the step, increment of time.
std::pair<double, int> Share() {
  std::ifstream in(std::string(kJob) + ".sta");
  std::string line;
  double share = 0;
  int increments = 0;
  while (std::getline(in, line)) {
    std::istringstream row(line);
    int step, increment, iterations;
    std::string attempt;
    double total, time;
    if (!(row >> step >> increment >> attempt >> iterations >> total >> time)) continue;
    if (!std::isdigit(static_cast<unsigned char>(attempt.back()))) continue;
    share = time, increments++;
  }
  return {share, increments};
}

// Waits for the program, and tells how far it is. Returns its exit status.
int Await(pid_t child) {
  int status = 0;
  double told = -1;
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return status;
    if (done < 0 && errno != EINTR)
      throw Error(codes::kSolverFailed, "CalculiX was lost").With("errno", errno);
    std::this_thread::sleep_for(kPoll);
    const double share = Share().first;
    if (share <= told) continue;
    EmitProgress(kBegun + (kEnded - kBegun) * share,
                 "CalculiX: " + Text(100 * share, 3) + " % of the load");
    told = share;
  }
}

// What the program says of its own failure.
std::string Complaint() {
  std::ifstream in(kLog);
  std::string line, told;
  for (int left = 0; std::getline(in, line);) {
    if (line.find("*ERROR") != std::string::npos) left = 3;
    if (left > 0 && !line.empty()) told += line.substr(line.find_first_not_of(' ')) + " ", left--;
  }
  return told.substr(0, 400);
}

constexpr char kBearsNoMore[] =
    "The part may bear no more: plastic collapse, or buckling, where a displacement that is "
    "prescribed can be followed further than a force. Else a finer mesh, or a smaller load, may "
    "pass.";
constexpr char kLoseContact[] =
    "A body may be held by contact alone and slide, tip or be pulled away: friction bears at most "
    "its coefficient times the normal force. Push it by a displacement (fixed with value) instead "
    "of a force, add supports, or raise the friction. Else a finer mesh where the bodies touch may "
    "pass.";

// Whether the iterations of the first increment ended without words: the table of convergence has
// rows of them, below its head.
bool Diverged() {
  std::ifstream in(std::string(kJob) + ".cvg");
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream row(line);
    int step;
    if (row >> step) return true;
  }
  return false;
}

// Where a body slides away between increments, the program may run into a fault of its own.
bool Crashed(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int signal = WTERMSIG(status);
  return signal == SIGSEGV || signal == SIGABRT || signal == SIGFPE || signal == SIGBUS;
}

void RequireFinished(int status, double share, bool large, bool contacts) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && share > 1 - 1e-9) return;
  const std::string complaint = Complaint();
  EmitLog("error", "CalculiX: " + complaint);
  auto says = [&](const char* word) { return complaint.find(word) != std::string::npos; };
  const bool lost = WIFEXITED(status)
                        ? share > 0 || Diverged() || says("increment") || says("cutback")
                        : share > 0 && Crashed(status);
  if (!large || !lost)
    throw Error(codes::kSolverFailed, "CalculiX stopped at a fault")
        .With("message", complaint)
        .With("status", status);
  throw Error(codes::kNotConverged,
              "CalculiX found no equilibrium beyond " + Text(100 * share, 4) + " % of the load")
      .At("/config/bcs")
      .Hint(contacts ? kLoseContact : kBearsNoMore)
      .With("share", share);
}

void RemoveFiles() {
  for (const char* end : {".dat", ".sta", ".cvg", ".frd", ".log", ".12d"})
    unlink((std::string(kJob) + end).c_str());
  unlink("spooles.out");
}

}  // namespace

CalculixResults RunCalculix(const Elasticity& p, const CalculixModel& model,
                            const CalculixStep& step) {
  {
    std::ofstream deck(kCalculixDeck);
    WriteDeck(p, model, step, deck);
    if (!deck.flush()) throw Error(codes::kSolverFailed, "the deck could not be written");
  }
  const int status = Await(Start());
  const auto [share, increments] = Share();
  RequireFinished(status, share, step.large, p.nonlinear && !p.nonlinear->contacts.empty());
  CalculixResults r = ReadCalculix(p, model, std::string(kJob) + ".dat");
  r.increments = increments;
  RemoveFiles();
  return r;
}

}  // namespace atelier
