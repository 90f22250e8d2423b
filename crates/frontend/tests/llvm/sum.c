/* Threads made in a loop, each with its own argument, add to one sum. */
#include <assert.h>
#include <pthread.h>

#define THREADS 3

struct job {
  int number;
  int *sum;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *argument) {
  struct job *job = argument;
#ifdef LOCKED
  pthread_mutex_lock(&mutex);
#endif
  *job->sum += job->number;
#ifdef LOCKED
  pthread_mutex_unlock(&mutex);
#endif
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  struct job jobs[THREADS];
  for (int i = 0; i < THREADS; i++) {
    jobs[i].number = i + 1;
    jobs[i].sum = &sum;
    pthread_create(&threads[i], 0, work, &jobs[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], 0);
  }
  assert(sum == 6);
  return 0;
}
