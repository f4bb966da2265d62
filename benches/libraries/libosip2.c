// PACKAGE: libosip2
// SOURCES: src/osipparser2/osip_port.c src/osipparser2/osip_list.c src/osipparser2/osip_uri.c src/osipparser2/osip_via.c src/osipparser2/osip_cseq.c src/osipparser2/osip_call_id.c src/osipparser2/osip_content_type.c src/osipparser2/osip_from.c src/osipparser2/osip_call_info.c src/osipparser2/osip_content_length.c
// FLAGS: -Iinclude -DHAVE_STDARG_H -DHAVE_CTYPE_H -DHAVE_FCNTL_H -DHAVE_TIME_H -DHAVE_SYS_TIME_H -DHAVE_STRUCT_TIMEVAL
// CASES: via uri sequence call type from info
#include <osipparser2/osip_port.h>
#include <osipparser2/osip_parser.h>
#include "text.h"

static int via(char *s) {
  osip_via_t *header;
  return osip_via_init(&header) ? 2 : osip_via_parse(header, s) == 0;
}

static int uri(char *s) {
  osip_uri_t *header;
  return osip_uri_init(&header) ? 2 : osip_uri_parse(header, s) == 0;
}

static int sequence(char *s) {
  osip_cseq_t *header;
  return osip_cseq_init(&header) ? 2 : osip_cseq_parse(header, s) == 0;
}

static int call(char *s) {
  osip_call_id_t *header;
  return osip_call_id_init(&header) ? 2 : osip_call_id_parse(header, s) == 0;
}

static int type(char *s) {
  osip_content_type_t *header;
  return osip_content_type_init(&header) ? 2 : osip_content_type_parse(header, s) == 0;
}

static int from(char *s) {
  osip_from_t *header;
  return osip_from_init(&header) ? 2 : osip_from_parse(header, s) == 0;
}

static int info(char *s) {
  osip_call_info_t *header;
  return osip_call_info_init(&header) ? 2 : osip_call_info_parse(header, s) == 0;
}

int main(void) { return CASE(text()); }
