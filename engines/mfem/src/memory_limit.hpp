// How much memory this process may still take.
#pragma once

namespace atelier {

// Bytes: the least of what the limits of the process, those of the one that started it
// (ATELIER_MEMORY_MB, resident) and the machine leave.
double FreeMemory();

}  // namespace atelier
