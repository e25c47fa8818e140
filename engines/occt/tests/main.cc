#include "testing/main.hpp"

#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_Printer.hxx>

// OpenCASCADE prints to stdout, where the report goes.
void atelier::PrepareTests() {
  Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_Printer));
}
