/* The clock is the same in every run. */
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

int main(void) {
  struct timeval now;
  srand((unsigned)time(NULL));
  time_t seconds;
  return time(&seconds) != seconds || gettimeofday(&now, NULL) != 0 || now.tv_sec != seconds; // VALUES: 0
}

// PATHS: 1
// EXACT: false
