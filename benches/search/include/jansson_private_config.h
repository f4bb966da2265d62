/* What the configuration scripts of jansson would find out. */
#define INITIAL_HASHTABLE_ORDER 3
