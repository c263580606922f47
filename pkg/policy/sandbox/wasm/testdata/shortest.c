#define export(name) __attribute__((export_name(name)))
enum { SCALARS = 9, COLUMNS = 9, WAITING = 1, RUNNING = 2 };

static double buffer[SCALARS + 1000 * (COLUMNS + 1)];
static double weight = 1;

export("set_weight") void set_weight(double value) { weight = value; }

export("frame") double *frame(int bytes) {
  return bytes <= sizeof buffer ? buffer : (double *)-1; /* no address in the memory: a fault */
}

export("score") int score(int rows) {
  double *endpoint = buffer + SCALARS, *answer = endpoint + rows * COLUMNS;
  for (int row = 0; row < rows; row++, endpoint += COLUMNS)
    answer[row] = -endpoint[WAITING] - weight * endpoint[RUNNING];
  return 0;
}
