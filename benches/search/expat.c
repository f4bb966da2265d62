// PACKAGE: expat
// SOURCES: expat/lib/xmlparse.c expat/lib/xmlrole.c expat/lib/xmltok.c
// FLAGS: -Iexpat/lib
// INPUT: 10
#include <stddef.h>
#include <stdint.h>
#include <expat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  XML_Parser parser = XML_ParserCreate("UTF-8");
  XML_SetHashSalt(parser, 7);
  XML_Parse(parser, (const char *)data, (int)size, XML_TRUE);
  XML_ParserFree(parser);
  return 0;
}
