#include "testing/main.hpp"

#include <mfem.hpp>

#include "protocol.hpp"

void atelier::PrepareTests() {
  SetQuiet(true);
  mfem::set_error_action(mfem::MFEM_ERROR_THROW);
  mfem::out.Disable();
  mfem::err.Disable();
}
