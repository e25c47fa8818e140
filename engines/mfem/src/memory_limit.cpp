#include "memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace atelier {
namespace {

struct Taken {
  double virtual_bytes = 0, resident = 0, data = 0;
};

Taken TakenMemory() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  file >> size >> resident >> shared >> text >> library >> data;
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
  return {page * size, page * resident, page * data};
}

double Limit(int resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<double>::infinity();
  return static_cast<double>(limit.rlim_cur);
}

double FreeOfMachine() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("MemAvailable:", 0) == 0) return 1024 * std::strtod(line.c_str() + 13, nullptr);
  }
  const long pages = sysconf(_SC_PHYS_PAGES);
  return 0.5 * static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

double FreeMemory() {
  const Taken taken = TakenMemory();
  double free = std::min(
      {FreeOfMachine(), Limit(RLIMIT_AS) - taken.virtual_bytes, Limit(RLIMIT_DATA) - taken.data});
  if (const char* most = std::getenv("ATELIER_MEMORY_MB"))
    free = std::min(free, std::strtod(most, nullptr) * 1024 * 1024 - taken.resident);
  return std::max(0.0, free);
}

}  // namespace atelier
