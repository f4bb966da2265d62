// Returns the number of the first check that fails, 0 if none does.
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

struct bits { unsigned a : 3; int b : 7; unsigned long long c : 40; } __attribute__((packed));
struct node { int key; struct node *next; };
union number { float f; unsigned u; unsigned char b[4]; };
static int table[3][4] = {{1, 2}, [2] = {5, 6, 7, 8}};
static int *inside = &table[2][1];
static const char *words[] = {"zero", "one", "two"};
static struct { char c; const char **w; int (*f)(int); } record;
static int half(int x) { return x / 2; }
static struct { char c; const char **w; int (*f)(int); } filled = {'y', &words[1], half};
static char text[8] = "abc";
static double numbers[2] = {0.5, -2};

static int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
static struct node *push(struct node *head, int key) {
  struct node *n = malloc(sizeof *n);
  n->key = key;
  n->next = head;
  return n;
}
static int length(const char *s) { const char *p = s; while (*p) p++; return p - s; }
static int vla(int n) {
  int a[n][2];
  for (int i = 0; i < n; i++) a[i][0] = i, a[i][1] = -i;
  return a[n - 1][0] - a[n - 2][1];
}

int main(int argc, char **argv) {
  if (*inside != 6 || inside[-1] != 5 || sum(&table[0][0], 12) != 29) return 1;
  if (words[2][1] != 'w' || length(words[0]) != 4) return 2;
  if (filled.c != 'y' || filled.w[1] != words[2] || filled.f(9) != 4 || record.w) return 3;
  struct bits s = {0};
  s.a = 13; s.b = -3; s.c = 0x123456789aULL; s.c++;
  if (s.a != 5 || s.b != -3 || s.c != 0x123456789bULL || sizeof s != 7) return 4;
  union number n;
  n.f = 1.0f;
  if (n.u != 0x3f800000 || n.b[3] != 0x3f) return 5;
  struct node *head = 0;
  for (int i = 0; i < 5; i++) head = push(head, i * i);
  int total = 0;
  for (struct node *p = head; p; p = p->next) total = total * 2 + p->key;
  if (total != 16 * 16 + 9 * 8 + 4 * 4 + 1 * 2) return 6;
  struct node copy = *head, *other = &copy;
  other->key++;
  if (head->key != 16 || copy.key != 17 || copy.next != head->next) return 7;
  if (vla(4) != 5) return 8;
  if (text[2] != 'c' || text[3] || sizeof text != 8 || numbers[1] != -2) return 9;
  char buffer[16];
  memset(buffer, 'z', sizeof buffer);
  memcpy(buffer + 3, text, 4);
  if (buffer[2] != 'z' || buffer[4] != 'b' || buffer[6] || buffer[7] != 'z') return 10;
  if (argc != 1 || argv[0][0] != 'm' || argv[1]) return 11;
  int i = 3, *p = &i, **q = &p;
  **q += 4;
  if (i != 7 || (size_t)q % sizeof q) return 12;
  return 0;
}
