// Replaces tmpfile() for ngspice, which makes one at every start: the C library
// puts it into the system's temporary folder, and an engine must not see that.
// The file made here lives in memory and belongs to the process alone.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

FILE* tmpfile(void) {
  int fd = memfd_create("tmpfile", MFD_CLOEXEC);
  if (fd < 0) return NULL;
  FILE* file = fdopen(fd, "w+");
  if (file == NULL) close(fd);
  return file;
}

FILE* tmpfile64(void) { return tmpfile(); }
