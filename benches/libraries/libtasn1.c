// PACKAGE: libtasn1-6
// PREPARE: ./configure CC=clang-19 --disable-doc
// SOURCES: lib/decoding.c lib/coding.c lib/parser_aux.c lib/gstr.c
// FLAGS: -D_GNU_SOURCE -I. -Ilib -Ilib/includes -Ilib/gl -DHAVE_CONFIG_H -DASN1_BUILDING
// CASES: tag length octets object bits
#include "libtasn1.h"
#include "text.h"

static int tag(const unsigned char *s, int size) {
  unsigned char class;
  int length;
  unsigned long number;
  return asn1_get_tag_der(s, size, &class, &length, &number) == ASN1_SUCCESS && number > 31;
}

static int length(const unsigned char *s, int size) {
  int read;
  return asn1_get_length_ber(s, size, &read) > 127;
}

static int octets(const unsigned char *s, int size) {
  unsigned char room[CAPACITY];
  int read, count;
  return asn1_get_octet_der(s, size, &read, room, sizeof room, &count) == ASN1_SUCCESS && count > 2;
}

static int object(const unsigned char *s, int size) {
  char room[128];
  int read;
  return asn1_get_object_id_der(s, size, &read, room, sizeof room) == ASN1_SUCCESS;
}

static int bits(const unsigned char *s, int size) {
  unsigned char room[CAPACITY];
  int read, count;
  return asn1_get_bit_der(s, size, &read, room, sizeof room, &count) == ASN1_SUCCESS && count > 9;
}

int main(void) {
  size_t size;
  const unsigned char *s = bytes(&size);
  return CASE(s, (int)size);
}
