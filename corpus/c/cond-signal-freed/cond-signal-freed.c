// The waiter frees what the signaller still signals: it saw the flag before the signal.
#include <pthread.h>
#include <stdlib.h>

struct event {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int happened;
};

static struct event *event;

static void *signaller(void *arg) {
    pthread_mutex_lock(&event->lock);
    event->happened = 1;
    pthread_mutex_unlock(&event->lock);
    pthread_cond_signal(&event->changed);
    return arg;
}

int main(void) {
    pthread_t thread;
    event = malloc(sizeof *event);
    if (!event) return 0;
    pthread_mutex_init(&event->lock, 0);
    pthread_cond_init(&event->changed, 0);
    event->happened = 0;
    pthread_create(&thread, 0, signaller, 0);
    pthread_mutex_lock(&event->lock);
    while (!event->happened) pthread_cond_wait(&event->changed, &event->lock);
    pthread_mutex_unlock(&event->lock);
    free(event);
    pthread_join(thread, 0);
    return 0;
}
